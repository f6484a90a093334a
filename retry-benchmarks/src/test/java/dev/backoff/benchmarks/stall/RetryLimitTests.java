package dev.backoff.benchmarks.stall;

import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.benchmarks.report.Csv;
import dev.backoff.budget.BudgetSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** What limits do in the simulator, beside what they did with a real server. */
@Tag("ci")
class RetryLimitTests {

	@ParameterizedTest
	@CsvSource({ "0.1, 12, 16", "0.2, 35, 58", "0.3, 121, Infinity" })
	void firstAttemptsFillABucketForAsLongAsTheyFail(double share, double least, double most) {
		assertThat(RetryLimit.perFirst(share).simulate(0.8, 1_000).recoverySeconds()).isBetween(least, most);
	}

	@Test
	void evenABucketTooLargeForTheServerIsNoStorm() {
		RetryLimit large = RetryLimit.DEFAULT_BUDGET.withTokens(BudgetSettings.MOST);
		assertThat(large.simulate(0.8, 100).recovers()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "0.6", "0.8", "0.9" })
	void theSimulatorAgreesWithARealServer(String utilisation) throws IOException {
		Csv measured = Csv.read(Path.of("..", "docs", "overload", "stall-real.csv"));
		RetryLimit limit = RetryLimit.DEFAULT_BUDGET.withTokens(StallExperiment.TOKENS);
		double seconds = measured.where("utilisation", utilisation).where("limit", limit.label()).number(0, "seconds");
		assertThat(limit.simulate(Double.parseDouble(utilisation), StallExperiment.CAPACITY).recoverySeconds())
			.isCloseTo(seconds, within(1.5));
	}

}
