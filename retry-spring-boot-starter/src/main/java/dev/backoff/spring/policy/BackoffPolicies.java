package dev.backoff.spring.policy;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.core.env.PropertyResolver;

/**
 * From names and annotations to effective policies.
 * <p>
 * Who wins, weakest first: built in, {@code backoff.defaults}, the annotation on the
 * type, the annotation on the method, {@code backoff.policies.<name>}, a live override.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class BackoffPolicies {

	private final MethodLabels labels = new MethodLabels();

	/* Read once by each question, so that an answer is never of two configurations. */
	private volatile PolicyResolver resolver;

	/**
	 * Make a resolver.
	 * @param configuration what the configuration says
	 * @param resolver resolves placeholders in annotations
	 * @param classLoader finds the exception types that a configuration names
	 */
	public BackoffPolicies(BackoffConfiguration configuration, PropertyResolver resolver,
			@Nullable ClassLoader classLoader) {
		this.resolver = new PolicyResolver(configuration, this.labels, new Placeholders(resolver), classLoader);
	}

	/**
	 * {@return what the configuration says; the snapshot in effect}
	 */
	public BackoffConfiguration configuration() {
		return this.resolver.configuration();
	}

	/**
	 * Return what another configuration would lead to.
	 * @param configuration the other one
	 * @return a candidate, which changes nothing until it is {@linkplain #adopt adopted}
	 */
	public Candidate candidate(BackoffConfiguration configuration) {
		return new Candidate(this.resolver.with(configuration));
	}

	/**
	 * Put another configuration into effect, for all questions from now on.
	 * @param candidate made by this
	 */
	public void adopt(Candidate candidate) {
		this.resolver = candidate.resolver;
	}

	/**
	 * Return the effective policy of a method.
	 * @param method the method with its annotations
	 * @param problems gets what is wrong
	 * @return the policy, or null if there are problems
	 */
	public @Nullable EffectivePolicy resolve(AnnotatedMethod method, List<Problem> problems) {
		return this.resolver.resolve(method, problems);
	}

	/**
	 * Return the effective policy of a name, for programmatic calls.
	 * @param name a name below {@code backoff.policies}
	 * @return the policy
	 * @throws InvalidBackoffException if the name is not defined or its values do not fit
	 * together
	 */
	public EffectivePolicy resolve(String name) {
		return this.resolver.resolve(name);
	}

	/**
	 * Return what a name would give, without counting it as used.
	 * @param name a name below {@code backoff.policies}
	 * @return the policy, empty if it is not defined or only an annotation completes it
	 */
	public Optional<EffectivePolicy> peek(String name) {
		return this.resolver.peek(name);
	}

	/**
	 * Return a name as names are compared: its letters and digits, in lower case.
	 * @param name any spelling
	 * @return the same for all spellings of one name
	 */
	public static String canonicalName(String name) {
		return TextValues.canonical(name);
	}

	/**
	 * Check the whole configuration, after the methods are resolved. Each value is
	 * checked by itself; whether values fit together, only for policies that nobody uses
	 * so far: an annotation, or a policy that inherits, may complete the others.
	 * @param problems gets what is wrong
	 */
	public void check(List<Problem> problems) {
		this.resolver.check(problems);
	}

	/**
	 * {@return the names below {@code backoff.policies}; the names as they are written,
	 * or as those who use them write them}
	 */
	public List<String> names() {
		return this.resolver.names();
	}

	/**
	 * Return a policy's name as it is known.
	 * @param name any spelling
	 * @return the name below {@code backoff.policies} or in an annotation, or the label
	 * of a method that names no policy; empty if nothing has that name
	 */
	public Optional<String> find(String name) {
		return Optional.ofNullable(this.resolver.find(name));
	}

	/**
	 * {@return the names below {@code backoff.policies} that no method and no other
	 * policy has asked for so far; the names as they are written}
	 */
	public List<String> unused() {
		return this.resolver.unused();
	}

	/**
	 * {@return the names below {@code backoff.breakers} that no policy in use has; the
	 * names as they are written}
	 */
	public List<String> unusedBreakers() {
		return this.resolver.unusedBreakers();
	}

	/**
	 * {@return the names below {@code backoff.budgets} that no policy in use has; the
	 * names as they are written}
	 */
	public List<String> unusedBudgets() {
		return this.resolver.unusedBudgets();
	}

	/**
	 * Make a type with annotated methods known, so that labels tell types of the same
	 * simple name apart.
	 * @param type the class or interface
	 * @return false if another type has the same simple name
	 */
	public boolean announce(Class<?> type) {
		return this.labels.announce(type);
	}

	/**
	 * Return the method as meters and logs call it: {@code SimpleClassName.method}, or
	 * with its package where two types share the simple name.
	 * @param method the method
	 * @return its label
	 */
	public String label(AnnotatedMethod method) {
		return this.labels.label(method);
	}

	/**
	 * What another configuration would lead to. Thread-safe.
	 */
	public static final class Candidate {

		private final PolicyResolver resolver;

		Candidate(PolicyResolver resolver) {
			this.resolver = resolver;
		}

		/**
		 * {@return what the configuration says; the other configuration}
		 */
		public BackoffConfiguration configuration() {
			return this.resolver.configuration();
		}

		/**
		 * Return what would be the effective policy of a method.
		 * @param method the method with its annotations
		 * @param problems gets what is wrong
		 * @return the policy, or null if there are problems
		 */
		public @Nullable EffectivePolicy resolve(AnnotatedMethod method, List<Problem> problems) {
			return this.resolver.resolve(method, problems);
		}

		/**
		 * Return what would be the effective policy of a name.
		 * @param name a name below {@code backoff.policies}
		 * @return the policy
		 * @throws InvalidBackoffException if the name is not defined or its values do not
		 * fit together
		 */
		public EffectivePolicy resolve(String name) {
			return this.resolver.resolve(name);
		}

		/**
		 * Return what a name would give, without counting it as used.
		 * @param name a name below {@code backoff.policies}
		 * @return the policy, empty if it is not defined or only an annotation completes
		 * it
		 */
		public Optional<EffectivePolicy> peek(String name) {
			return this.resolver.peek(name);
		}

		/**
		 * {@return the names below {@code backoff.policies}; the names as they are
		 * written, or as those who use them write them}
		 */
		public List<String> names() {
			return this.resolver.names();
		}

		/**
		 * Check the whole configuration, after the methods are resolved.
		 * @param problems gets what is wrong
		 */
		public void check(List<Problem> problems) {
			this.resolver.check(problems);
		}

	}

}
