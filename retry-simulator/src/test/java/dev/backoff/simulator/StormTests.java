package dev.backoff.simulator;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.json.JsonWriter;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

/** The simulator against the theory and against figures that were measured before. */
class StormTests {

	private static final Pattern PROPOSED = Pattern.compile("`([a-z.-]+: [^`]+)`");

	private static final Scenario ONCE = Scenario.stall("3s").rate(100).with("seeds", "1");

	/** One server of 1,000 requests a second, three attempts, five seeds. */
	@Nested
	class AfterAStallOfThreeSeconds {

		@ParameterizedTest
		@CsvSource({ "none, 0.6, 2.9", "none, 0.8, 8.1", "none, 0.9, 17.6", "default, 0.6, 2.9", "default, 0.8, 7.7",
				"default, 0.9, 18.7", "by successes, 0.6, 2.9", "by successes, 0.8, 7.7" })
		void retriesOfABudgetRecoverAboutAsSoonAsFirstAttemptsAlone(String budget, double used, double seconds) {
			SimulatedPolicy policy = switch (budget) {
				case "none" -> policy(3, null).withoutRetries();
				case "default" -> policy(3, BudgetSettings.DEFAULTS);
				default -> policy(3, new BudgetSettings(10, 0.1, 0));
			};
			assertThat(stall(policy, used, 5).recoverySeconds()).isCloseTo(seconds, within(Math.max(1, 0.1 * seconds)));
		}

		@ParameterizedTest
		@CsvSource({ "0.6", "0.8", "0.9" })
		@Tag("ci")
		void withoutABudgetItNeverRecovers(double used) {
			Effect effect = stall(policy(3, null), used, 1);
			assertThat(effect.recovers()).isFalse();
			assertThat(effect.loadUntilRecovery()).isCloseTo(2.97, within(0.1));
		}

		@Test
		void theDefaultBudgetAddsLittleLoad() {
			assertThat(stall(policy(3, BudgetSettings.DEFAULTS), 0.8, 5).loadUntilRecovery()).isLessThan(1.02);
		}

		@Test
		@Tag("ci")
		void aBucketThatOnlySuccessesFillRecoversAlsoAtNinetyPercent() {
			// five runs spread from 16 to 20 s
			assertThat(stall(policy(3, new BudgetSettings(10, 0.1, 0)), 0.9, 15).recoverySeconds()).isCloseTo(17.1,
					within(1.7));
		}

		private static Effect stall(SimulatedPolicy policy, double used, int seeds) {
			return Effect.of(policy,
					Scenario.stall("3s")
						.rate(1000 * used)
						.with("capacity", "1000")
						.with("latency", "1ms")
						.with("timeout", "1s")
						.with("seeds", Integer.toString(seeds)));
		}

	}

	/** The load of n attempts is what the service can do from n times the calls on. */
	@Nested
	class WhereAttemptsTimesCallsMeetCapacity {

		private static final Scenario SCENARIO = Scenario.stall("10s")
			.rate(120)
			.with("capacity", "300")
			.with("latency", "1ms")
			.with("timeout", "1s");

		@Test
		void twoAttemptsRecover() {
			assertThat(Effect.of(policy(2, null), SCENARIO).recoverySeconds()).isCloseTo(33, within(3.0));
		}

		@Test
		void threeDoNot() {
			assertThat(Effect.of(policy(3, null), SCENARIO.with("seeds", "1")).recovers()).isFalse();
		}

	}

	/*
	 * 100 clients of 1,000 calls each, three retries, a bucket of 10, 0.1 by success. At
	 * 10 %, where the load is greatest, some retries are barred.
	 */
	@ParameterizedTest
	@CsvSource({ "1, 100, 1.010", "5, 100, 1.053", "10, 99.0, 1.095", "30, 75.8, 1.085", "100, 0, 1.010" })
	void aBucketThatSuccessesFillGivesTheSuccessAndTheLoadOfTheTheoryForTimeouts(double errors, double success,
			double load) {
		Trial trial = new Trial(policy(4, new BudgetSettings(10, 0.1, 0)), 100, Duration.ofSeconds(100),
				Duration.ofSeconds(10), 1)
			.failing(errors / 100, true)
			.run(1_000);
		assertThat(100 * trial.success()).isCloseTo(success, within(0.6));
		assertThat(trial.load()).isCloseTo(load, within(0.005));
	}

	/** A total outage of a minute at 200 calls a second, as it was measured. */
	@Nested
	class InAnOutageOfAMinute {

		private static final Scenario SCENARIO = Scenario.outage("60s")
			.rate(200)
			.with("horizon", "10s")
			.with("seeds", "1");

		@Test
		void withoutABudgetEachCallIsFourRequests() {
			assertThat(Effect.of(policy(4, null), SCENARIO).loadInFault()).isCloseTo(4, within(0.05));
		}

	}

	@Nested
	class OfAFleet {

		private final Storm storm = Storm.of(policy(4, BudgetSettings.DEFAULTS),
				Scenario.outage("16s").callers(200).rate(1).with("horizon", "60s"));

		@Test
		void eachCallerHasItsOwnBucket() {
			assertThat(this.storm.configured().loadInFault()).isCloseTo(3.8, within(0.1));
			assertThat(this.storm.findings()).filteredOn((finding) -> finding.id().equals("amplifies"))
				.singleElement()
				.satisfies((finding) -> {
					assertThat(finding.severity()).isEqualTo(Finding.Severity.ERROR);
					assertThat(finding.text()).startsWith("With 200 callers of 1 call/s this puts ")
						.contains("each caller has its own bucket of 50. With `backoff.instances: 200` it is ");
				});
			assertThat(this.storm.findings()).filteredOn((finding) -> finding.id().equals("budget-large"))
				.singleElement()
				.hasToString("warn: budget-large: 200 processes hold 10000 tokens, 40 s of what the service does; "
						+ "with `backoff.instances: 200` it would be 4 s.");
		}

		@Test
		void moreCallersOfTheSameCallsPutMoreLoad() {
			assertThat(this.storm.fleets()).containsOnlyKeys(2_000, 20_000);
			assertThat(this.storm.fleets().get(20_000).loadInFault())
				.isGreaterThan(this.storm.configured().loadInFault() - 0.1);
		}

		@Test
		void withoutRetriesThereIsNoMoreLoad() {
			assertThat(this.storm.unretried().loadInFault()).isEqualTo(1);
		}

	}

	@Test
	void aBreakerKeepsCallsFromAServiceThatIsDown() {
		SimulatedPolicy policy = policy(4, null);
		SimulatedPolicy broken = new SimulatedPolicy(policy.policy(), null, BreakerSettings.DEFAULTS, true, false,
				List.of());
		Effect effect = Effect.of(broken, Scenario.outage("60s").rate(100).with("seeds", "1"));
		assertThat(effect.loadInFault()).isLessThan(0.2);
		assertThat(effect.refusedByBreaker()).isGreaterThan(5_000);
		assertThat(Storm.of(broken, Scenario.outage("10s").with("capacity", "100").with("seeds", "1")).findings())
			.filteredOn((finding) -> finding.id().equals("recovers-late"))
			.singleElement()
			.extracting(Finding::text)
			.asString()
			.endsWith(" after an outage of 10s, because its breaker stays open (`open-for: 30s`).");
	}

	@Test
	void aServiceThatThrottlesIsGivenTheTimeThatItAsksFor() {
		Scenario scenario = Scenario.stall("1s")
			.with("fault", "throttle 10s")
			.with("capacity", "1000")
			.with("horizon", "20s")
			.with("seeds", "1");
		Effect heeded = Effect.of(policy(4, null), scenario);
		assertThat(heeded.loadInFault()).isEqualTo(1);
		assertThat(heeded.failed()).isZero();
		SimulatedPolicy deaf = SimulatedPolicy.of(
				RetryPolicy.builder("deaf").maxAttempts(4).retryAfterEnabled(false).abortOn(RuntimeException.class),
				null);
		assertThat(Effect.of(deaf, scenario).loadInFault()).isGreaterThan(2);
		assertThat(Effect.of(deaf, scenario).failed()).isGreaterThan(0.3);
	}

	/** 25 of 100 callers, before a quarter of the service. */
	@Test
	void aPartOfALargeFleetDoesWhatTheFleetDoes() {
		SimulatedPolicy policy = policy(4, BudgetSettings.DEFAULTS);
		Scenario scenario = Scenario.stall("3s").callers(100).with("horizon", "60s").with("seeds", "3");
		Effect part = Effect.of(policy, scenario);
		Simulation all = Simulation.run(policy, scenario, () -> (budget, now) -> {
		}, 1);
		assertThat(part.loadInFault()).isCloseTo(all.course().loadWithin(scenario.faultTime()), within(0.05));
		assertThat(part.recoverySeconds()).isCloseTo(all.course().recoverySeconds().orElseThrow(), within(2.0));
		assertThat(part.refusedByBudget()).isCloseTo(all.refusedByBudget(), withinPercentage(10));
		assertThat(part.mostUnderWay()).isCloseTo(all.mostUnderWay(), withinPercentage(10));
	}

	/** A base that saves half of the calls is tried in the same storm. */
	@Test
	void proposesABaseForAnOutageAndTellsWhatItDoes() {
		Scenario outage = Scenario.outage("5s").with("horizon", "30s").with("seeds", "1");
		assertThat(Storm.of(policy(4, null), outage.with("capacity", "100")).findings())
			.filteredOn((finding) -> finding.id().equals("outage-long"))
			.singleElement()
			.satisfies((finding) -> {
				assertThat(finding.text()).matches(".* With `base: 1\\d+ms` [\\d.]+ % fail\\.");
				assertThat((BigDecimal) finding.numbers().get("failedWithBase")).isLessThan(new BigDecimal("0.5"));
			});
		assertThat(Storm.of(policy(4, BudgetSettings.DEFAULTS), outage.rate(200)).findings()).extracting(Finding::text)
			.anyMatch((text) -> text.endsWith(" % fail, because the budget refuses retries."));
	}

	/** Of a short outage most failures come from calls that began after it. */
	@Test
	void onlyCallsThatBeginInTheFaultCountAsItsFailures() {
		Scenario outage = Scenario.outage("50ms").rate(100).with("capacity", "101").with("seeds", "1");
		assertThat(Effect.of(policy(1, null), outage).failed()).isLessThanOrEqualTo(1);
		assertThatThrownBy(() -> Scenario.outage("200d"))
			.hasMessageContaining("must last a day at most. Write a shorter time");
	}

	@Test
	void slowAnswersCountAsFailuresWhereTheyTakeLongerThanTheTimeout() {
		Scenario scenario = Scenario.stall("10s").with("fault", "slow 10s").with("seeds", "1");
		assertThat(Effect.of(policy(4, null), scenario).failed()).isLessThan(0.2);
		assertThat(Effect.of(policy(1, null), scenario.with("timeout", "150ms").with("capacity", "1000")).failed())
			.isCloseTo(1, within(0.05));
	}

	@Test
	void aStormThatRecoversWithLittleLoadHasNoFinding() {
		assertThat(Storm.of(policy(2, new BudgetSettings(2, 0.1, 0.1)), ONCE).findings()).isEmpty();
	}

	@Test
	void aPolicyThatKeepsTheServiceDownIsAnError() {
		Storm storm = Storm.of(policy(4, null), ONCE);
		assertThat(storm.findings()).extracting(Finding::id).containsExactly("amplifies", "never-recovers");
		assertThat(storm.findings().get(1).text())
			.startsWith("After a stall of 3s the service does not come back within 2m at 80 % of its capacity, "
					+ "without retries after ")
			.contains(" With `tokens: 30` it does after ");
	}

	/** One thing to set, whatever the finding, and no number of tokens for a fleet. */
	@ParameterizedTest
	@CsvSource({ "1, 10, tokens: \\d+", "1, 100, tokens: \\d+", "60, 1.5, backoff.instances: 60" })
	void proposesWhatItHasSimulated(int callers, double rate, String what) {
		Scenario scenario = Scenario.outage("10s").callers(callers).rate(rate).with("seeds", "1");
		SimulatedPolicy policy = policy(4, new BudgetSettings(300, 0.1, 0.1));
		List<Finding> findings = Storm.of(policy, scenario).findings();
		assertThat(findings).extracting(Finding::id).contains("amplifies", "budget-large");
		List<String> proposed = findings.stream()
			.flatMap((finding) -> PROPOSED.matcher(finding.text()).results())
			.map((found) -> found.group(1))
			.filter((text) -> !text.startsWith("base: "))
			.distinct()
			.toList();
		assertThat(proposed).singleElement().asString().matches(what);
		double tokens = Double.parseDouble(proposed.get(0).replaceAll(".* ", ""));
		BudgetSettings set = (callers == 1) ? new BudgetSettings(tokens, 0.1, 0.1)
				: policy.budget().share((int) tokens);
		assertThat(set.tokens()).as("what pays the retries of one call").isGreaterThanOrEqualTo(3);
		assertThat(findings.get(0).numbers()).containsEntry("loadAsAdvised",
				Figures.rounded(Effect.of(policy.withBudget(set), scenario).loadInFault(), 3));
	}

	@Test
	void refusesWhatIsTooLargeWithTheLargestRateThatFits() {
		assertThatThrownBy(() -> Storm.of(policy(4, null), Scenario.stall("3s").rate(1000), 200_000, 200_000))
			.hasMessage("Invalid rate (1000): may lead to 532000 attempts in one run, and 200000 are the most here. "
					+ "Write at most 376, or a shorter horizon.");
		assertThatThrownBy(() -> Storm.of(policy(4, null), Scenario.stall("3s").rate(10).with("capacity", "10")))
			.hasMessage("Invalid capacity (10): must be above the 10 first calls a second. "
					+ "Raise it, or lower callers or rate.");
	}

	@Test
	void theSameSeedGivesTheSameBytes() throws Exception {
		String json = JsonWriter.standard()
			.writeToString(Storm.of(policy(4, BudgetSettings.DEFAULTS), Scenario.stall("3s").callers(20)).figures());
		byte[] digest = MessageDigest.getInstance("SHA-256").digest(json.getBytes(StandardCharsets.UTF_8));
		// of JDK 17 and of JDK 25
		assertThat(HexFormat.of().formatHex(digest, 0, 8)).isEqualTo("aad60f39837f31bf");
	}

	static SimulatedPolicy policy(int attempts, BudgetSettings budget) {
		return SimulatedPolicy.of(RetryPolicy.builder("simulated").maxAttempts(attempts), budget);
	}

}
