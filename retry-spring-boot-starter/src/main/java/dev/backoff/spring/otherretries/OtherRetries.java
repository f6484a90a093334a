package dev.backoff.spring.otherretries;

import java.util.List;
import java.util.stream.Stream;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.backoff.spring.policy.PolicyUses;

/**
 * Find the other retries of an application: annotations beside {@code @Backoff}, and
 * beans that are known by their type. The settings of beans are not read. No bean is
 * created. Thread-safe.
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

	/** Search now; annotations come first. */
	public List<OtherRetry> all() {
		return Stream.concat(annotations().stream(), beans().stream()).toList();
	}

	List<OtherRetry> annotations() {
		OtherAnnotations annotations = new OtherAnnotations(this.factory);
		return this.uses.uses().stream().flatMap((use) -> annotations.beside(use).stream()).toList();
	}

	List<OtherRetry> beans() {
		return RepeatingBeans.of(this.factory);
	}

}
