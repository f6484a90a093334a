package dev.backoff.spring.advice;

import java.lang.reflect.AnnotatedElement;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Whether a transaction of the method itself would enclose all its attempts: proxies
 * stand around what is woven, whatever their order.
 */
final class TransactionOrder {

	/* The bean that Spring has for transactions by proxies, and only for those. */
	private static final String PROXIED = "org.springframework.transaction.config.internalTransactionAdvisor";

	private static final List<String> ANNOTATIONS = List.of("org.springframework.transaction.annotation.Transactional",
			"jakarta.transaction.Transactional");

	private final ListableBeanFactory beanFactory;

	private final boolean woven;

	TransactionOrder(ListableBeanFactory beanFactory, boolean woven) {
		this.beanFactory = beanFactory;
		this.woven = woven;
	}

	/** Return what to do about it, or null if there is nothing. */
	@Nullable String advice(AnnotatedMethod method) {
		boolean encloses = this.woven && (isTransactional(method.method()) || isTransactional(method.type()))
				&& this.beanFactory.containsBean(PROXIED);
		return encloses ? "its transaction is a proxy's, which encloses all woven attempts: weave transactions too, or "
				+ "annotate a method that calls it" : null;
	}

	private static boolean isTransactional(AnnotatedElement element) {
		MergedAnnotations present = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
		return ANNOTATIONS.stream().anyMatch(present::isPresent);
	}

}
