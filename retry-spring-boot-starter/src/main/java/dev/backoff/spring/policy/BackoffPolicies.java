package dev.backoff.spring.policy;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.core.env.PropertyResolver;

import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Problem;

/**
 * The effective policies of names and annotated methods.
 * <p>
 * From weakest to strongest, the levels are: built in, {@code backoff.defaults}, the
 * annotation on the type, the annotation on the method, {@code backoff.policies.<name>},
 * a live override. Thread-safe.
 *
 * @since 0.1
 */
public final class BackoffPolicies {

	/* Read once for each question, so that an answer is of one configuration. */
	private volatile PolicyResolver resolver;

	/** Create the policies of an application. The resolver resolves placeholders. */
	public BackoffPolicies(BackoffConfiguration configuration, PropertyResolver resolver,
			@Nullable ClassLoader classLoader) {
		this.resolver = new PolicyResolver(configuration, new Placeholders(resolver), classLoader);
	}

	/** Return a snapshot of the policies in effect now. */
	public PolicyResolver current() {
		return this.resolver;
	}

	/** Return the configuration in effect. */
	public BackoffConfiguration configuration() {
		return this.resolver.configuration();
	}

	/** Return the policies of another configuration, not in effect until adopted. */
	public PolicyResolver candidate(BackoffConfiguration configuration) {
		return new PolicyResolver(this.resolver, configuration);
	}

	/** Put another configuration into effect for all later requests. */
	public void adopt(PolicyResolver candidate) {
		this.resolver = candidate;
	}

	/**
	 * Return the effective policy of a name, for programmatic calls.
	 * @throws InvalidBackoffException if the name is not defined below
	 * {@code backoff.policies} or its values do not fit together
	 */
	public EffectivePolicy resolve(String name) {
		return this.resolver.resolve(name);
	}

	/**
	 * Return the known spelling of a policy's name: as below {@code backoff.policies}, as
	 * in an annotation, or the label of a method that names no policy. Return empty if no
	 * policy has that name.
	 */
	public Optional<String> find(String name) {
		return Optional.ofNullable(this.resolver.find(name));
	}

	/**
	 * Return the known spelling of a policy's name, as {@link #find} does.
	 * @throws InvalidBackoffException if no policy has that name
	 */
	public String known(String name) {
		return find(name).orElseThrow(() -> new InvalidBackoffException(List.of(Problem.ofPlace("Policy " + name,
				"is not known", "Write one of " + String.join(", ", this.resolver.names()) + "."))));
	}

}
