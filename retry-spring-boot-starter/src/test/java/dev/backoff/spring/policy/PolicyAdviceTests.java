package dev.backoff.spring.policy;

import java.io.IOException;
import java.util.List;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.env.MockEnvironment;

import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.PolicyKey;

import static org.assertj.core.api.Assertions.assertThat;

class PolicyAdviceTests {

	/** Return the advice on a policy of the given keys, each as {@code key: value}. */
	private static List<String> advice(String... keys) {
		MockEnvironment environment = new MockEnvironment();
		environment.setProperty("backoff.policies.orders.enabled", "true");
		for (String key : keys) {
			String[] parts = key.split(": ", 2);
			environment.setProperty("backoff." + (parts[0].startsWith("defaults") ? "" : "policies.orders.") + parts[0],
					parts[1]);
		}
		BackoffConfiguration configuration = BackoffConfiguration.read(environment);
		return PolicyAdvice.of(new BackoffPolicies(configuration, environment, null).resolve("orders"), configuration);
	}

	@Test
	void isEmptyForTheDefaults() {
		assertThat(advice()).isEmpty();
	}

	@Test
	void knowsTheLevelOfAValueByMoreThanItsPlace() {
		MockEnvironment environment = new MockEnvironment();
		// its place reads like one of the defaults
		String name = "backoff.defaults.orders";
		environment.setProperty("backoff.policies[" + name + "].budget", "none");
		environment.setProperty("backoff.policies[" + name + "].when-empty", "wait");
		BackoffConfiguration configuration = BackoffConfiguration.read(environment);
		assertThat(new BackoffPolicies(configuration, environment, null).resolve(name).values())
			.hasEntrySatisfying(PolicyKey.WHEN_EMPTY, (value) -> assertThat(value.level().isOfOne()).isTrue());
	}

	@ParameterizedTest
	@CsvSource({ "16, true", "17, false" })
	void catchesManyAttemptsThatMayGoOnForHours(int attempts, boolean good) {
		String cap = "cap: 200ms";
		assertThat(advice(cap, "max-attempts: " + attempts).isEmpty()).isEqualTo(good);
		assertThat(advice(cap, "max-attempts: " + attempts, "deadline: 9s")).isEmpty();
	}

	@Test
	void catchesABudgetThatCannotPayForOneCall() {
		assertThat(advice("max-attempts: 51", "deadline: 1h")).isEmpty();
		assertThat(advice("max-attempts: 52", "deadline: 1h"))
			.containsExactly("the budget orders of 50 tokens cannot pay the 51 retries of a single call (built in): "
					+ "raise its tokens, or make fewer attempts");
		assertThat(advice("max-attempts: 52", "deadline: 1h", "budget: none")).isEmpty();
		assertThat(advice("max-attempts: 52", "deadline: 1h", "enabled: false")).isEmpty();
		assertThat(advice("max-attempts: unlimited", "deadline: 1h")).isEmpty();
	}

	@Test
	void catchesATimeoutThatLeavesNoTimeForARetry() {
		assertThat(advice("attempt-timeout: 1s", "deadline: 1s"))
			.containsExactly("an attempt that uses up the attempt-timeout of 1s leaves no time for a retry before the "
					+ "deadline of 1s");
		assertThat(advice("attempt-timeout: 1s")).isEmpty();
	}

	@Test
	void catchesATimeoutThatTheListDoesNotRetry() {
		assertThat(advice("attempt-timeout: 1s", "retry-on: " + IOException.class.getName()))
			.containsExactly("attempts that take longer than the attempt-timeout are not retried: retry-on does not "
					+ "name dev.backoff.AttemptTimeoutException");
		assertThat(advice("attempt-timeout: 1s", "retry-on: dev.backoff.AttemptTimeoutException")).isEmpty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			java.lang.Exception | parse errors, programming errors, 4xx, constraint violations
			java.lang.RuntimeException | parse errors, programming errors, 4xx, constraint violations
			org.springframework.web.client.RestClientException | 4xx
			org.springframework.web.client.HttpClientErrorException | 4xx
			org.springframework.dao.DataAccessException | constraint violations
			""")
	void catchesAListedTypeThatDoesNotRetryWhatIsBelowIt(String listed, String unreached) {
		assertThat(advice("retry-on: " + listed))
			.containsExactly("retry-on: " + listed + " does not retry " + unreached + ": name them");
	}

	@Test
	void isNotAboutFailuresThatTheListNames() {
		assertThat(advice("retry-on: java.io.IOException, tools.jackson.core.JacksonException,"
				+ "java.lang.NullPointerException, org.springframework.dao.NonTransientDataAccessException"))
			.isEmpty();
		assertThat(advice("retry-on: java.lang.Exception", "classifier: none")).isEmpty();
		assertThat(advice("retry-on: java.lang.RuntimeException, tools.jackson.core.exc.StreamReadException"))
			.containsExactly("retry-on: java.lang.RuntimeException does not retry programming errors, 4xx, "
					+ "constraint violations: name them");
	}

	@Test
	void isNotAboutTheCapOfDecorrelatedJitterOrWithoutRetries() {
		assertThat(advice("cap: 200ms", "jitter: decorrelated")).isEmpty();
		assertThat(advice("cap: 200ms", "max-attempts: 1")).isEmpty();
	}

	@Nested
	class WithADeadline {

		@Test
		void catchesDelaysThatLeaveNoRoomForAllAttempts() {
			assertThat(advice("base: 1s", "max-attempts: 12", "deadline: 5s"))
				.containsExactly("the deadline of 5s has room for 3 of 12 attempts, by the delays before jitter: raise "
						+ "it, make fewer attempts, or lower the base to 2380us");
			assertThat(advice("base: 2380us", "max-attempts: 12", "deadline: 5s")).isEmpty();
			assertThat(advice("base: 2390us", "max-attempts: 12", "deadline: 5s")).isNotEmpty();
			assertThat(advice("base: 1s", "max-attempts: 3", "deadline: 5s")).isEmpty();
		}

		@Test
		void catchesTimeoutsThatLeaveNoRoomForAllAttempts() {
			assertThat(advice("max-attempts: 6", "attempt-timeout: 2s", "deadline: 10s")).containsExactly(
					"the deadline of 10s has room for 4 of 6 attempts, each as long as the attempt-timeout "
							+ "of 2s: raise it, or make fewer attempts");
			assertThat(advice("max-attempts: 4", "base: 500ms", "attempt-timeout: 2s", "deadline: 10s"))
				.containsExactly(
						"the deadline of 10s has room for 3 of 4 attempts, each as long as the attempt-timeout "
								+ "of 2s: raise it, make fewer attempts, or lower the base to 285ms");
			assertThat(advice("max-attempts: 4", "base: 285ms", "attempt-timeout: 2s", "deadline: 10s")).isEmpty();
		}

		@Test
		void isAboutBoth() {
			assertThat(advice("base: 2s", "max-attempts: 5", "attempt-timeout: 1s", "deadline: 10s")).containsExactly(
					"the deadline of 10s has room for 3 of 5 attempts, by the delays before jitter: raise it, make "
							+ "fewer attempts, or lower the base to 663ms",
					"the deadline of 10s has room for 3 of 5 attempts, each as long as the attempt-timeout of 1s: "
							+ "raise it, make fewer attempts, or lower the base to 333ms");
		}

		@Test
		void looksForTheBaseUnderTheCap() {
			assertThat(advice("base: 5s", "cap: 5s", "max-attempts: 11", "deadline: 26300ms", "shortest-attempt: 0"))
				.containsExactly("the deadline of 26300ms has room for 6 of 11 attempts, by the delays before jitter: "
						+ "raise it, make fewer attempts, or lower the base to 100ms");
			assertThat(advice("base: 1m", "max-attempts: 12", "deadline: 10m", "shortest-attempt: 0"))
				.containsExactly("the deadline of 10m has room for 4 of 12 attempts, by the delays before jitter: "
						+ "raise it, make fewer attempts, or lower the base to 1130ms");
			assertThat(advice("base: 1130ms", "max-attempts: 12", "deadline: 10m")).isEmpty();
			assertThat(advice("base: 1140ms", "max-attempts: 12", "deadline: 10m", "shortest-attempt: 0")).isNotEmpty();
		}

		@Test
		void namesABaseForAFixedShapeOnly() {
			assertThat(advice("shape: fixed", "base: 2s", "max-attempts: 5", "deadline: 4s", "shortest-attempt: 0"))
				.containsExactly("the deadline of 4s has room for 3 of 5 attempts, by the delays before jitter: raise "
						+ "it, make fewer attempts, or lower the base to 1s");
			String[] growing = { "shape: linear", "jitter: decorrelated", "ladder: 2s" };
			for (String key : growing) {
				assertThat(advice(key, key.startsWith("ladder") ? "jitter: none" : "base: 2s", "max-attempts: 5",
						"deadline: 3s"))
					.containsExactly("the deadline of 3s has room for 2 of 5 attempts, by the delays before jitter: "
							+ "raise it, or make fewer attempts");
			}
		}

		@Test
		void isSilentForPlansWithoutALimit() {
			assertThat(advice("base: 1s", "max-attempts: unlimited", "deadline: 5s")).isEmpty();
			assertThat(advice("base: 1s", "max-attempts: 1", "deadline: 100ms")).isEmpty();
			assertThat(advice("ladder: 1s x5, 5s", "deadline: 5s")).isEmpty();
		}

		@ParameterizedTest
		@CsvSource({ "user-facing", "background", "message", "critical", "health-check", "short-job", "medium-job",
				"long-job" })
		void isSilentForThePresets(String preset) {
			assertThat(advice("preset: " + preset)).noneMatch((advice) -> advice.matches(".*has room for.*"));
		}

	}

}
