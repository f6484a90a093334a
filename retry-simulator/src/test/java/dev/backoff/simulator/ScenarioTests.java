package dev.backoff.simulator;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ScenarioTests {

	@Test
	void hasDefaults() {
		assertThat(Scenario.of(Map.of()).figures(RetryPolicy.builder("orders").build()))
			.hasToString("{callers=1, rate=10, capacity=12.5, latency=20ms, timeout=1s, fault=stall 3s, horizon=2m, "
					+ "seeds=5}");
	}

	@Test
	void numbersMaySetTheOthersInAnyOrder() {
		Scenario scenario = Scenario.outage("1m").with("capacity", "300").callers(200).rate(1);
		assertThat(scenario).hasToString(
				"In an outage of 1m, with 200 callers of 1 call/s, of a service that does 300 requests a second");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = {
			"callers|0|Invalid callers (0): must be a whole number above 0, at most 100000. Write such a number.",
			"callers|1.5|Invalid callers (1.5): must be a whole number above 0, at most 100000. Write such a number.",
			"rate|-1|Invalid rate (-1): must be a number above 0, at most 1000000000. Write such a number.",
			"capacity|much|Invalid capacity (much): must be a number above 0, at most 1000000000. Write such a number.",
			"latency|20|Invalid latency (20): must have a unit. Write 20ms or 20s.",
			"fault|flood 3s|Invalid fault (flood 3s): must be stall, outage, timeouts, throttle or slow with a time, or errors with a share. Write for instance stall 3s, outage 30s, slow 10s or errors 30%.",
			"fault|errors 101%|Invalid fault (errors 101%): must be stall, outage, timeouts, throttle or slow with a time, or errors with a share. Write for instance stall 3s, outage 30s, slow 10s or errors 30%.",
			"fault|stall 3|Invalid time of fault (3): must have a unit. Write 3ms or 3s.",
			"horizon|0s|Invalid horizon (0s): must be above zero. Write a number and a unit, such as 250ms, 2s or 5m.",
			"seeds|101|Invalid seeds (101): must be a whole number above 0, at most 100. Write such a number.",
			"calers|2|Invalid parameter (calers): is not known. Write callers." })
	void refusesWhatIsWrong(String name, String value, String message) {
		assertThatThrownBy(() -> Scenario.of(Map.of(name, value))).hasMessage(message);
	}

}
