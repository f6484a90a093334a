package dev.backoff.simulator;

import java.time.Duration;
import java.util.function.LongToDoubleFunction;
import java.util.stream.LongStream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the bar on retries after timeouts comes to, by the real engine with the defaults:
 * a server recovers whatever the number of processes, and calls of a healthy server
 * hardly notice the bar.
 */
class RetriesAfterTimeoutsTests {

	private static final SimulatedPolicy DEFAULTS = SimulatedPolicy.of(RetryPolicy.builder("defaults"),
			BudgetSettings.DEFAULTS);

	/* 90 calls a second; without retries after 9 s at 80 % and 23 s at 90 %. */
	@ParameterizedTest
	@CsvSource({ "0.8, 1, 20", "0.8, 60, 36", "0.8, 600, 140", "0.9, 1, 100", "0.9, 10, 110", "0.9, 60, 70" })
	void aServerThatTakesRequestsInAnyOrderComesBackFromAStall(double load, int processes, double seconds) {
		Duration stall = Duration.ofSeconds(3);
		assertThat(sorted(3,
				(seed) -> new Trial(DEFAULTS, processes, stall, Duration.ofMinutes(3), seed).stalling(90 / load, false)
					.run(90)
					.recoverySeconds())[1])
			.isLessThanOrEqualTo(seconds);
	}

	@ParameterizedTest
	@CsvSource({ "1, 1.02", "60, 1.1", "600, 1.5" })
	void aMinuteOfTimeoutsCostsFewRequests(int processes, double load) {
		assertThat(
				new Trial(DEFAULTS, processes, Duration.ofMinutes(1), Duration.ZERO, 1).failing(1, true).run(90).load())
			.isLessThanOrEqualTo(load);
	}

	/* Calls a second. */
	@ParameterizedTest
	@ValueSource(doubles = { 0.1, 1, 10, 100 })
	void callsAreServedWhereFiveInAHundredAttemptsTimeOut(double rate) {
		assertThat(sorted(3, (seed) -> flaky(0.05, 10_000, rate, seed).run(rate).success())[1])
			.isGreaterThanOrEqualTo(0.998);
	}

	@ParameterizedTest
	@ValueSource(doubles = { 0.1, 1, 10, 100 })
	void almostAllCallsAreServedWhereTenInAHundredAttemptsTimeOut(double rate) {
		double[] served = sorted(20, (seed) -> flaky(0.1, 3_000, rate, seed).run(rate).success());
		assertThat(served[10]).isGreaterThanOrEqualTo(0.985);
		assertThat(served[0]).isGreaterThanOrEqualTo(0.965);
	}

	/* Of the others two in a hundred attempts time out. */
	@ParameterizedTest
	@ValueSource(doubles = { 1, 10, 100 })
	void callsAreServedWhereEachAttemptOfOneCallInAHundredTimesOut(double rate) {
		assertThat(sorted(3, (seed) -> flaky(0.02, 20_000, rate, seed).poisoned(0.01).run(rate).success())[1])
			.isGreaterThanOrEqualTo(0.998);
	}

	private static Trial flaky(double share, int calls, double rate, long seed) {
		Duration time = Duration.ofSeconds((long) (calls / rate));
		return new Trial(DEFAULTS, 1, time, Duration.ofMinutes(1), seed).failing(share, true);
	}

	private static double[] sorted(int seeds, LongToDoubleFunction figure) {
		return LongStream.rangeClosed(1, seeds).mapToDouble(figure).sorted().toArray();
	}

}
