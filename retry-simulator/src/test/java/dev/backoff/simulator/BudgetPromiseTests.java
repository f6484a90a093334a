package dev.backoff.simulator;

import java.time.Duration;
import java.util.Map;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.policy.Preset;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.spring.configuration.BackoffConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * A retry that helps is free, a retry that does not help costs a token, and a timeout
 * always costs one: what that comes to, by the real engine.
 */
class BudgetPromiseTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration STALL = Duration.ofSeconds(3);

	@ParameterizedTest
	@CsvSource({ "0.1, false", "1, false", "2, false", "0.1, true", "1, true", "2, true" })
	void criticalCallsSurviveAnOutageThatOthersDoNotNotice(double perSecond, boolean silent) {
		for (long seed = 1; seed <= 5; seed++) {
			Trial trial = new Trial(critical(), 1, Duration.ofSeconds(40), MINUTE, seed).failing(1, silent)
				.run(perSecond);
			assertThat(trial.success()).isGreaterThanOrEqualTo(0.99);
			double retries = 0.1 * Math.max((double) trial.calls(), 40 * perSecond) + 50;
			assertThat(trial.requests() - trial.calls()).isLessThanOrEqualTo((long) retries);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 8 })
	void aLoopLosesNoItemThatFailsTwice(int threads) {
		assertThat(Trial.lost(defaults(), threads, 60, 2, 2)).isZero();
	}

	@Test
	void aLongLoopLosesNoItemThatFailsOnceOrTwice() {
		assertThat(Trial.lost(defaults(), 8, 1_000, 1, 2)).isZero();
	}

	/* Those that are lost met two retries after timeouts that timed out too. */
	@Test
	void aLongLoopLosesFewItemsThatAlsoTimeOut() {
		SimulatedPolicy patient = policy(RetryPolicy.builder("patient").maxAttempts(6));
		assertThat(Trial.lost(patient, 8, 1_000, 2, 2, 0.05)).isLessThanOrEqualTo(30);
	}

	/* They wait, go one after the other, and no other call fills the bucket. */
	@Test
	void criticalCallsSurviveAnOutageAfterWhichThirtyPercentStillFail() {
		for (long seed = 1; seed <= 10; seed++) {
			Trial trial = new Trial(critical(), 1, Duration.ofSeconds(100), MINUTE.multipliedBy(5), seed)
				.failing(1, 0.3, false)
				.run(10);
			assertThat(trial.success()).isGreaterThanOrEqualTo(0.99);
		}
	}

	@Test
	void aLoopWithMoreThreadsThanTokensLosesNoItemWhereItWaits() {
		assertThat(Trial.lost(defaults(), 40, 1_000, 2, 2)).isPositive();
		assertThat(Trial.lost(policy(RetryPolicy.builder("waits").postponedWhenEmpty(true)), 40, 1_000, 2, 2)).isZero();
	}

	/* At 80 % of what it does; without retries after about 8 and 11 s. */
	@ParameterizedTest
	@CsvSource({ "false, true, 8.5", "true, true, 8.5", "false, false, 17", "true, false, 19" })
	void aServerComesBackFromAStall(boolean critical, boolean inOrder, double seconds) {
		double capacity = inOrder ? 1_000 : 100;
		double[] recovers = LongStream.rangeClosed(1, inOrder ? 3 : 11)
			.mapToDouble((seed) -> new Trial(critical ? critical() : defaults(), 1, STALL, MINUTE, seed)
				.stalling(capacity, inOrder)
				.run(0.8 * capacity)
				.recoverySeconds())
			.sorted()
			.toArray();
		assertThat(recovers[recovers.length / 2]).isCloseTo(seconds, within(0.15 * seconds));
	}

	@Test
	void anOutageOfAMinuteCostsOneRequestForEachHundredCalls() {
		Trial trial = new Trial(defaults(), 1, MINUTE, Duration.ZERO, 1).failing(1, false).run(200);
		assertThat(trial.load()).isLessThanOrEqualTo(1.01);
	}

	@ParameterizedTest
	@CsvSource({ "0.30, 1.42, 0.99", "0.50, 1.15, 0.58", "0.66, 1.07, 0.36" })
	void failuresThatAreAnswersAreRetriedAsFarAsThatHelps(double share, double load, double success) {
		Trial answered = new Trial(defaults(), 1, Duration.ofHours(1), MINUTE, 1).failing(share, false).run(10);
		assertThat(answered.load()).isCloseTo(load, within(0.02));
		assertThat(answered.success()).isCloseTo(success, within(0.02));
		Trial silent = new Trial(defaults(), 1, Duration.ofHours(1), MINUTE, 1).failing(share, true).run(10);
		assertThat(silent.load()).isLessThanOrEqualTo(1.1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aFleetComesBackFromAStallWhetherItKnowsItsSizeOrNot(boolean inOrder) {
		assertThat(fleet(50, inOrder).recoverySeconds()).isLessThanOrEqualTo(45);
		assertThat(fleet(1, inOrder).recoverySeconds()).isLessThanOrEqualTo(45);
	}

	private static Trial fleet(int instances, boolean inOrder) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.addFirst(new MapPropertySource("test", Map.of("backoff.instances", instances)));
		BudgetSettings share = BackoffConfiguration.read(environment).budget("fleet").settings();
		return new Trial(SimulatedPolicy.of(RetryPolicy.builder("fleet"), share), 50, STALL, MINUTE.multipliedBy(3), 1)
			.stalling(50 / 0.8, inOrder)
			.run(50);
	}

	private static SimulatedPolicy critical() {
		return policy(RetryPolicy.builder("critical").preset(Preset.CRITICAL));
	}

	private static SimulatedPolicy defaults() {
		return policy(RetryPolicy.builder("defaults"));
	}

	private static SimulatedPolicy policy(RetryPolicyBuilder builder) {
		return SimulatedPolicy.of(builder, BudgetSettings.DEFAULTS);
	}

}
