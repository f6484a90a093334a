package dev.backoff.simulator;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.policy.Preset;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;

/** 90 calls a second from any number of processes, by the defaults: medians of three. */
class FleetTests {

	@ParameterizedTest
	@CsvSource({ "stall 3s, 0.8, 1, 15", "stall 3s, 0.8, 10, 20", "stall 3s, 0.8, 60, 30", "stall 3s, 0.8, 200, 65",
			"stall 3s, 0.9, 1, 35", "stall 3s, 0.9, 60, 65", "stall 10s, 0.8, 60, 60" })
	void comesBackFromAStall(String fault, double used, int processes, double seconds) {
		assertThat(effect(defaults(), fault, used, processes, "100s").recoverySeconds()).isLessThanOrEqualTo(seconds);
	}

	@Tag("long")
	@ParameterizedTest
	@CsvSource({ "stall 3s, 0.8, 600, 130", "stall 10s, 0.8, 600, 165" })
	void aLargeFleetComesBackFromAStall(String fault, double used, int processes, double seconds) {
		assertThat(effect(defaults(), fault, used, processes, "200s").recoverySeconds()).isLessThanOrEqualTo(seconds);
	}

	@ParameterizedTest
	@CsvSource({ "1, 1.02", "60, 1.10", "600, 1.50" })
	void aMinuteOfTimeoutsCostsFewRetries(int processes, double load) {
		assertThat(effect(defaults(), "timeouts 60s", 0.8, processes, "10s").loadInFault()).isBetween(1.0, load);
	}

	/* What is not promised: their calls do not give up. */
	@Test
	void aFleetOfWaitingCallsDoesNotComeBackAndThePlannerSaysSo() {
		SimulatedPolicy waiting = SimulatedPolicy.of(RetryPolicy.builder("fleet").preset(Preset.CRITICAL),
				BudgetSettings.DEFAULTS);
		Storm storm = Storm.of(waiting, scenario("stall 3s", 0.8, 60, "60s").with("seeds", "1"));
		assertThat(storm.findings()).filteredOn((found) -> found.id().equals("never-recovers"))
			.singleElement()
			.satisfies((found) -> assertThat(found.text()).contains(" With `when-empty: stop` it does after "));
	}

	private static Effect effect(SimulatedPolicy policy, String fault, double used, int processes, String horizon) {
		return Effect.of(policy, scenario(fault, used, processes, horizon));
	}

	private static Scenario scenario(String fault, double used, int processes, String horizon) {
		return Scenario.stall("3s")
			.with("fault", fault)
			.callers(processes)
			.rate(90.0 / processes)
			.with("capacity", Double.toString(90 / used))
			.with("horizon", horizon)
			.with("seeds", "3");
	}

	private static SimulatedPolicy defaults() {
		return SimulatedPolicy.of(RetryPolicy.builder("fleet"), BudgetSettings.DEFAULTS);
	}

}
