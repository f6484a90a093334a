package dev.backoff.spring.otherretries;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.backoff.spring.policy.PolicyUses;

/**
 * Find the other retries of an application: annotations on methods, and beans that are
 * known by their type. The settings of beans are not read. No bean is created.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class OtherRetries {

	private final ConfigurableListableBeanFactory factory;

	private final PolicyUses uses;

	public OtherRetries(ConfigurableListableBeanFactory factory, PolicyUses uses) {
		this.factory = factory;
		this.uses = uses;
	}

	/** Search now; annotations come first, those beside ours before others. */
	public List<OtherRetry> all() {
		Set<Method> ours = this.uses.uses().stream().map((use) -> use.annotated().method()).collect(Collectors.toSet());
		return Stream
			.of(besideOurs().stream(), OtherAnnotations.of(this.factory, (method) -> !ours.contains(method)),
					beans().stream())
			.flatMap(Function.identity())
			.toList();
	}

	List<OtherRetry> besideOurs() {
		return this.uses.uses()
			.stream()
			.flatMap((use) -> OtherAnnotations.of(use.annotated().method(), use.annotated().type(), use.method()))
			.toList();
	}

	List<OtherRetry> beans() {
		return RepeatingBeans.of(this.factory);
	}

}
