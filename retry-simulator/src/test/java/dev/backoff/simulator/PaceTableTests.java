package dev.backoff.simulator;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.simulator.PaceTrial.Result;
import dev.backoff.simulator.PaceTrial.Setup;
import dev.backoff.simulator.QuotaServer.Kind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * What a pace does for 64 callers that want twice the quota of a server, 100 requests a
 * minute: goodput, refusals, lost calls and the worst caller. Each test prints its row.
 */
class PaceTableTests {

	private static Result run(String server, boolean telling, int processes, boolean paced) {
		Kind kind = new Kind(100, 60, server.equals("window"), server.equals("counts"), telling, 0);
		return print(server + (telling ? ", telling, " : ", ") + processes + (paced ? " paced" : ""),
				PaceTrial.run(new Setup(kind, processes, 64, 2, 30), paced));
	}

	private static Result print(String row, Result result) {
		System.out.println("pace: " + row + ": " + result);
		return result;
	}

	@ParameterizedTest
	@CsvSource({ "false, bucket, 1.5", "false, counts, 1.5", "false, window, 1.5", "true, bucket, 0.1",
			"true, counts, 0.1", "true, window, 1" })
	void oneProcess_servedWithFewRefusals(boolean telling, String server, double refused) {
		Result result = run(server, telling, 1, true);
		assertThat(result.goodput()).isGreaterThanOrEqualTo(95);
		assertThat(result.refused()).isLessThanOrEqualTo(refused);
		assertThat(result.lost()).isZero();
		assertThat(result.worst()).isLessThanOrEqualTo(1.5);
	}

	@ParameterizedTest
	@CsvSource({ "false, bucket, 99.9, 3.9, 0", "false, counts, 97.1, 4.1, 0.1", "false, window, 97.8, 3.5, 0",
			"true, bucket, 99.8, 0.03, 0", "true, counts, 99.7, 0.04, 0", "true, window, 98.1, 4.2, 0" })
	@Tag("long")
	void eightProcesses_asMeasured(boolean telling, String server, double goodput, double refused, double lost) {
		Result result = run(server, telling, 8, true);
		assertThat(result.goodput()).isCloseTo(goodput, within(1.0));
		assertThat(result.refused()).isCloseTo(refused, within(1.0));
		assertThat(result.lost()).isCloseTo(lost, within(0.2));
	}

	@ParameterizedTest
	@CsvSource({ "bucket, 55.9, 49.3", "counts, 81.8, 80.7", "window, 37.9, 5.7" })
	@Tag("long")
	void withoutPace_refusedAndLost(String server, double refused, double lost) {
		Result result = run(server, false, 1, false);
		assertThat(result.refused()).isCloseTo(refused, within(1.0));
		assertThat(result.lost()).isCloseTo(lost, within(1.0));
	}

	@ParameterizedTest
	@CsvSource({ "false, false, 124", "true, false, 194", "false, true, 150", "true, true, 203" })
	@Tag("long")
	void batchOfThreeHundred_noneLost(boolean window, boolean telling, double seconds) {
		Kind kind = new Kind(100, 60, window, false, telling, 0);
		Result result = print("batch, " + kind, PaceTrial.run(new Setup(kind, 1, 300, 0, 30), true));
		assertThat(result.lost()).isZero();
		assertThat(result.end()).isCloseTo(seconds, within(5.0));
	}

	@Test
	@Tag("long")
	void quotaOfASecond_served() {
		Kind kind = new Kind(100, 1, false, false, false, 0);
		Result result = print("quota of a second", PaceTrial.run(new Setup(kind, 1, 640, 2, 5), true));
		assertThat(result.goodput()).isGreaterThan(96);
		assertThat(result.refused()).isLessThan(1.5);
	}

	@ParameterizedTest
	@CsvSource({ "0.002, 86", "0.005, 82", "0.01, 80", "0.03, 70" })
	@Tag("long")
	void refusedAtRandom_notStarved(double unlucky, double served) {
		// a quota that is never reached, of which 90 % are wanted
		Kind kind = new Kind(1_200_000, 60_000, true, false, false, unlucky);
		Result result = print("refused at random, " + unlucky, PaceTrial.run(new Setup(kind, 1, 64, 0.9, 30), true));
		assertThat(result.goodput()).isGreaterThan(served);
	}

}
