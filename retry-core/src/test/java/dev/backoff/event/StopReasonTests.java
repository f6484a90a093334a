package dev.backoff.event;

import java.util.Arrays;

import org.junit.jupiter.api.Test;

import dev.backoff.failure.RetryCause;

import static org.assertj.core.api.Assertions.assertThat;

/** The words that dashboards and alerts are built on: they are API. */
class StopReasonTests {

	@Test
	void reasonsAreMetricTags() {
		assertThat(Arrays.stream(StopReason.values()).map(StopReason::tag)).containsExactly("succeeded",
				"not_retryable", "nested", "disabled", "attempts_exhausted", "breaker_open", "concurrency", "pace",
				"hint", "deadline", "budget", "interrupted", "cancelled", "shutdown", "rejected", "lost");
	}

	@Test
	void whatHasNothingToRecoverIsNotRecovered() {
		assertThat(Arrays.stream(StopReason.values()).filter((reason) -> !reason.isRecoverable()))
			.containsExactlyInAnyOrder(StopReason.SUCCEEDED, StopReason.INTERRUPTED, StopReason.CANCELLED);
	}

	@Test
	void outcomesAreMetricTags() {
		assertThat(Arrays.stream(AttemptOutcome.values()).map(AttemptOutcome::tag)).containsExactly("success",
				"pending", "result", "transient", "throttled", "permanent", "aborted", "timeout", "cancelled", "error");
	}

	@Test
	void causesAreMetricTags() {
		assertThat(Arrays.stream(RetryCause.values()).map(RetryCause::tag)).containsExactly("connect", "timeout", "io",
				"http_429", "http_503", "http_5xx", "lock", "pool", "grpc", "result", "pending", "other");
	}

	@Test
	void sourcesAreMetricTags() {
		assertThat(Arrays.stream(DelaySource.values()).map(DelaySource::tag)).containsExactly("policy", "hint",
				"breaker", "budget", "concurrency", "pace");
	}

}
