package dev.backoff.spring.aspectj;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Advice on what encloses all attempts of a woven method, but would not if it were
 * proxied: its transaction and its concurrency limit, since proxies stand around what is
 * woven, whatever their order, and its lock, since advice is woven into the method.
 */
final class WeavingAdvice {

	/* The bean that Spring has for transactions by proxies, and only for those. */
	private static final String PROXIED = "org.springframework.transaction.config.internalTransactionAdvisor";

	private static final List<String> TRANSACTIONAL = List
		.of("org.springframework.transaction.annotation.Transactional", "jakarta.transaction.Transactional");

	private static final String LIMIT = "org.springframework.resilience.annotation.ConcurrencyLimit";

	private static final String LIMITING = "org.springframework.resilience.annotation.internalConcurrencyLimitProcessor";

	private WeavingAdvice() {
	}

	static List<String> of(AnnotatedMethod method, ListableBeanFactory beanFactory) {
		List<String> advice = new ArrayList<>();
		if (isPresent(method, TRANSACTIONAL) && beanFactory.containsBean(PROXIED)) {
			advice.add(
					"its transaction is a proxy's, which encloses all woven attempts, so that what failed ones wrote may be "
							+ "committed: weave transactions too, or annotate a method that calls it");
		}
		if (isPresent(method, List.of(LIMIT)) && beanFactory.containsBean(LIMITING)) {
			advice.add(
					"its @ConcurrencyLimit is a proxy's, which holds a permit during all woven attempts and their waits: "
							+ "annotate a method that it calls");
		}
		if (Modifier.isSynchronized(method.method().getModifiers())) {
			advice
				.add("it is synchronized, and woven it holds its lock while it waits: annotate a method that calls it");
		}
		return advice;
	}

	private static boolean isPresent(AnnotatedMethod method, List<String> annotations) {
		return Stream.of(method.method(), method.type())
			.map((element) -> MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY))
			.anyMatch((present) -> annotations.stream().anyMatch(present::isPresent));
	}

}
