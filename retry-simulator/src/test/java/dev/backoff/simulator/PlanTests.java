package dev.backoff.simulator;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.policy.Preset;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Plans against what the formulae say. */
class PlanTests {

	@Test
	void hasTheDelaysAndTheWholeWait() {
		Plan plan = plan(builder().maxAttempts(4).jitter(Jitter.none()));
		assertThat(plan.delays().totalMean()).isEqualTo(700_000_000);
		assertThat(plan.totalWait(0.01)).isEqualTo(Duration.ofMillis(700));
		assertThat(plan.riddenOut(0.99)).isEqualTo(Duration.ofMillis(700));
		assertThat(plan.survival(Duration.ofMillis(700))).isEqualTo(1);
		assertThat(plan.survival(Duration.ofMillis(701))).isZero();
		assertThat(plan.survivalWithin(Duration.ofMillis(1_400))).isEqualTo(0.5);
	}

	@Test
	void tellsWhichOutagesCallsSurviveWithTheirBudget() {
		RetryPolicyBuilder builder = builder().maxAttempts(12).base(Duration.ofMillis(500)).cap(Duration.ofSeconds(30));
		Plan free = Plan.of(policy(builder));
		Plan budgeted = Plan.of(SimulatedPolicy.of(builder, BudgetSettings.DEFAULTS));
		assertThat(free.rideOut().riddenOut(0.99)).isGreaterThan(Duration.ofSeconds(40));
		assertThat(budgeted.rideOut().riddenOut(0.99)).isLessThan(Duration.ofSeconds(10));
		assertThat(budgeted.findings()).filteredOn((finding) -> finding.id().equals("outage-long"))
			.singleElement()
			.extracting(Finding::text)
			.asString()
			.startsWith("With 10 calls/s of a process and its budget, half of the calls survive an outage of ");
		Duration survived = budgeted.rideOut().riddenOut(0.5);
		for (double part : new double[] { 0.8, 1.25 }) {
			Duration outage = Duration.ofMillis((long) (part * survived.toMillis()));
			Effect effect = Effect.of(budgeted.policy(),
					Scenario.outage(outage.toMillis() + "ms").with("capacity", "1000"));
			assertThat(effect.failed() < 0.5).as("storm of " + outage).isEqualTo(part < 1);
		}
	}

	@Test
	void jitterSpreadsTheWholeWait() {
		Plan plan = plan(builder().maxAttempts(2).base(Duration.ofSeconds(1)));
		assertThat(plan.totalWait(0.5).toMillis()).isCloseTo(500, within(20L));
		assertThat(plan.totalWait(0.99).toMillis()).isCloseTo(990, within(5L));
		assertThat(plan.riddenOut(0.99).toMillis()).isCloseTo(10, within(5L));
		assertThat(plan.survival(Duration.ofMillis(250))).isCloseTo(0.75, within(0.02));
	}

	/*
	 * A service that fails for 10 s on average and is there for 99 % of the time: the
	 * channel's transitions between the attempts that the policy makes.
	 */
	@ParameterizedTest
	@CsvSource({ "100, 0.9907, 0.00005", "1000, 0.9950, 0.00005", "10000, 0.999986, 0.000001" })
	void waitsRideOutAServiceThatComesAndGoes(long millis, double success, double within) {
		Herd herd = Herd.of(policy(builder().maxAttempts(4)
			.shape(Shape.exponential(Duration.ofMillis(millis), 2))
			.jitter(Jitter.none())
			.cap(Duration.ofMinutes(1))), 1, Duration.ZERO, 1);
		double fails = 0.01;
		for (int attempt = 1; attempt < herd.starts(0).size(); attempt++) {
			double seconds = (herd.starts(0).get(attempt) - herd.starts(0).get(attempt - 1)) / 1e9;
			fails *= 0.01 + 0.99 * Math.exp(-0.1 / 0.99 * seconds);
		}
		assertThat(1 - fails).isCloseTo(success, within(within));
	}

	@Test
	void noCallStartsAnAttemptRightBeforeTheDeadline() {
		Herd herd = Herd.of(policy(builder().maxAttempts(9)
			.cap(Duration.ofSeconds(10))
			.deadline(Duration.ofSeconds(5))
			.shortestAttempt(Duration.ofMillis(20))), 10_000, Duration.ofMillis(20), 1);
		int[] bins = herd.retries(Duration.ofMillis(10), Duration.ofSeconds(5));
		assertThat(bins[bins.length - 1]).isZero();
		assertThat(bins[bins.length - 20]).isPositive();
	}

	@Test
	void aHerdWithoutJitterComesBackTogether() {
		Plan plan = plan(builder().maxAttempts(5).jitter(Jitter.none()));
		assertThat(plan.fullest()).isEqualTo(1);
		assertThat(plan.findings()).extracting(Finding::id).contains("herd");
		assertThat(plan(builder().maxAttempts(9).cap(Duration.ofSeconds(10))).fullest()).isBetween(0.01, 0.036);
	}

	@Test
	void tellsWhichAttemptsFitADeadline() {
		Plan plan = plan(builder().preset(Preset.USER_FACING).maxAttempts(5));
		assertThat(plan.fitting(Duration.ZERO)).isEqualTo(5);
		assertThat(plan.fitting(Duration.ofSeconds(1))).isEqualTo(4);
		assertThat(plan.findings()).filteredOn((finding) -> finding.id().equals("deadline-tight"))
			.singleElement()
			.hasToString("warn: deadline-tight: With attempts of 1 s, 4 of 5 attempts start before the deadline of 5s, "
					+ "if the delays are the longest. No base lets all of them end before it.");
	}

	@Test
	void proposesTheLargestBaseForADeadline() {
		Plan plan = plan(builder().base(Duration.ofSeconds(1)).maxAttempts(5).deadline(Duration.ofSeconds(10)));
		assertThat(plan.findings()).filteredOn((finding) -> finding.id().equals("deadline-tight"))
			.singleElement()
			.asString()
			.endsWith("; all of them end before it with `base: 333ms` or less.");
		Plan proposed = plan(builder().base(Duration.ofMillis(333)).maxAttempts(5).deadline(Duration.ofSeconds(10)));
		assertThat(proposed.fitting(Duration.ofSeconds(1))).isEqualTo(5);
	}

	@Test
	void tellsWhatOneChangedNumberDoes() {
		Plan plan = plan(builder().maxAttempts(5));
		assertThat(plan.variants().keySet()).containsExactly("one attempt more", "one attempt less", "multiplier 1.5",
				"multiplier 3");
		assertThat(plan.variants().values()).extracting(Plan::longestWait)
			.extracting(Duration::toMillis)
			.containsExactly(3_100L, 700L, 812L, 4_000L);
		assertThat(plan.findings()).filteredOn((finding) -> finding.id().equals("sensitive"))
			.singleElement()
			.hasToString("info: sensitive: One attempt more makes the longest wait 2.1 times as long, 3.1 s.");
		assertThat(
				plan(builder().shape(Shape.ladder(List.of(Duration.ofSeconds(1)))).maxAttempts(2)).variants().keySet())
			.containsExactly("one attempt more");
	}

	@Test
	void plansAPolicyWithSlotsAndOneWithoutDelays() {
		assertThat(plan(builder().maxAttempts(4).concurrency(1)).riddenOut(0.5)).isPositive();
		assertThat(plan(builder().maxAttempts(4).base(Duration.ZERO)).figures()).containsKey("changed");
	}

	@Test
	void proposesABaseBelowTheCap() {
		Plan plan = plan(builder().maxAttempts(5).base(Duration.ofSeconds(1)).cap(Duration.ofSeconds(60)));
		assertThat(plan.baseFor(Duration.ofSeconds(20))).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(10));
		assertThat(plan.baseFor(Duration.ofMillis(1))).isNull();
		// two digits would be above the cap
		Duration cap = Duration.ofMillis(1_231);
		Plan capped = plan(builder().maxAttempts(3).jitter(Jitter.none()).cap(cap));
		assertThat(capped.baseFor(Duration.ofMillis(2_460))).isBetween(Duration.ofMillis(1_218), cap);
	}

	@Test
	void proposesABaseThatSurvivesAnOutage() {
		Plan plan = plan(builder().maxAttempts(4));
		Duration base = plan.baseFor(Duration.ofSeconds(5));
		assertThat(base).isBetween(Duration.ofMillis(1_300), Duration.ofMillis(1_600));
		assertThat(plan(builder().maxAttempts(4).base(base)).survival(Duration.ofSeconds(5))).isBetween(0.5, 0.56);
		assertThat(plan(builder().maxAttempts(1)).baseFor(Duration.ofSeconds(5))).isNull();
		assertThat(plan(builder().deadline(Duration.ofSeconds(3))).baseFor(Duration.ofSeconds(5))).isNull();
	}

	@Test
	void tellsHowLongACallHoldsItsThread() {
		assertThat(PlanningPageTests.plan(Preset.CRITICAL).findings())
			.filteredOn((finding) -> finding.id().equals("holds-threads"))
			.singleElement()
			.extracting(Finding::text)
			.asString()
			.startsWith("A blocking call that fails holds its thread for 9");
	}

	@Test
	void showsAHundredAttemptsOfAPolicyThatNeverEnds() {
		Map<String, Object> figures = PlanningPageTests.plan(Preset.MESSAGE).figures();
		assertThat(figures).containsEntry("attempts", "unlimited");
		assertThat(figures.get("retries")).asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
			.hasSize(99);
	}

	private static Plan plan(RetryPolicyBuilder builder) {
		return Plan.of(policy(builder));
	}

	private static SimulatedPolicy policy(RetryPolicyBuilder builder) {
		return SimulatedPolicy.of(builder, null);
	}

	private static RetryPolicyBuilder builder() {
		return RetryPolicy.builder("planned");
	}

}
