package dev.backoff.spring.policy;

import java.util.function.Consumer;

import dev.backoff.spring.configuration.Problem;

/**
 * What {@linkplain PolicyRule rules} object to. A key is written as in a file, a rule has
 * no full stop ({@code must not be above 6}), and a fix is a sentence. A report shows
 * key, value and origin before them.
 *
 * @param policy the policy in question
 * @param refused receives what stops the start or the change
 * @param warned receives what is only logged, once
 * @since 0.1
 */
public record Objections(PolicyView policy, Consumer<Problem> refused, Consumer<Problem> warned) {

	/** Refuse the value of a key. */
	public void refuse(String key, String rule, String fix) {
		this.refused.accept(problem(key, rule, fix));
	}

	/** Log a WARN about the value of a key, while a rule is introduced. */
	public void warn(String key, String rule, String fix) {
		this.warned.accept(problem(key, rule, fix));
	}

	private Problem problem(String key, String rule, String fix) {
		return this.policy.value(key).problem("Invalid " + key + " of policy " + this.policy.name(), rule, fix);
	}

}
