package dev.backoff.spring.live;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.Test;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.PolicyRule;
import dev.backoff.spring.policy.PolicyView;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** {@code TeamTests} of the integration tests have the rules that a page shows. */
class PolicyRuleTests extends LiveApplication {

	private static final String FIX = "Mend the rule; the log shows where it threw.";

	private final List<String> asked = new CopyOnWriteArrayList<>();

	PolicyRuleTests() {
		super("backoff.policies.plain.base=1s", "backoff.policies.mailing.base=1s",
				"backoff.policies.stored.durable=true");
	}

	@Test
	void isAskedAboutEachMethodAndEachPolicyThatNoMethodCompletes() {
		start((policy, objections) -> this.asked.add(text(policy)));

		assertThat(this.asked)
			.contains("mailing Mails.send(String) false 1s true", "mailing Mails.sendNow() true 1s true",
					"plain null true 1s false", "stored null false 2s false")
			.doesNotContain("mailing null true 1s false");
		this.asked.clear();
		this.live.override("mailing", Map.of("base", "2s"), null);
		assertThat(this.asked).contains("mailing Mails.sendNow() true 2s true", "plain null true 1s false");
		this.asked.clear();
		this.context.getBean(BackoffMethods.class).retry("mailing");
		assertThat(this.asked).containsExactly("mailing null true 2s false");
	}

	@Test
	void stopsTheStartByNameIfItThrows() {
		InvalidBackoffException refused = catchThrowableOfType(InvalidBackoffException.class,
				() -> start((policy, objections) -> policy.value("max-attemps")));

		assertThat(refused.problems()).contains(new Problem("Rule rule for policy mailing: threw "
				+ "java.lang.IllegalArgumentException: Policies have no key max-attemps.", FIX));
	}

	@Test
	void refusesAChangeIfItThrows() {
		start((policy, objections) -> {
			if (policy.numbers().maxAttempts() == 7) {
				throw new IllegalStateException("seven");
			}
		});

		assertThat(catchThrowableOfType(InvalidBackoffException.class,
				() -> this.live.override("plain", Map.of("max-attempts", "7"), null))
			.problems()).containsExactly(
					new Problem("Rule rule for policy plain: threw java.lang.IllegalStateException: seven.", FIX));
		assertThat(this.context.getBean(BackoffMethods.class).retry("plain").policy().maxAttempts()).isEqualTo(4);
	}

	private void start(PolicyRule rule) {
		start((beans) -> {
			beans.registerBean("rule", PolicyRule.class, () -> rule);
			beans.registerBean(Mails.class);
		});
	}

	private static String text(PolicyView policy) {
		return policy.name() + " " + policy.method() + " " + policy.holdsThread() + " " + policy.value("base").value()
				+ " " + policy.value("max-attempts").wasSet();
	}

	static class Mails {

		@Backoff(value = "mailing", maxAttempts = "2")
		public CompletableFuture<Void> send(String text) {
			return new CompletableFuture<>();
		}

		@Backoff(value = "mailing", maxAttempts = "2")
		public void sendNow() {
		}

	}

}
