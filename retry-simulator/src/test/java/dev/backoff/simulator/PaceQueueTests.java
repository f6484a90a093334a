package dev.backoff.simulator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.CallRegistry;
import dev.backoff.Retry;
import dev.backoff.pace.Pace;
import dev.backoff.pace.QuotaReading;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;

/** A queue of 100,000 calls, which run where their turns come, ends on a flat stack. */
class PaceQueueTests {

	private static final int CALLS = 100_000;

	private final EventQueue time = new EventQueue();

	private final CallRegistry registry = new CallRegistry();

	private final List<CompletableFuture<String>> results = new ArrayList<>();

	private final Pace pace = new Pace("ai", Duration.ofMinutes(1), CALLS, this.time, (held, hold) -> {
	});

	private void startAll(Duration deadline) {
		// all go in the six seconds after the hold; the learned rate grows with each that
		// goes
		for (int i = 0; i < CALLS; i++) {
			this.pace.succeeded(0, 0);
		}
		this.pace.told(0, List.of(new QuotaReading("requests", CALLS, CALLS, Duration.ofSeconds(26), true, true)));
		this.pace.throttled(0, Duration.ofSeconds(20).toNanos(), 0);
		Retry retry = Retry.builder(RetryPolicy.builder("ai").deadline(deadline).build())
			.time(this.time)
			.executor(Runnable::run)
			.calls(this.registry)
			.pace(this.pace)
			.build();
		for (int i = 0; i < CALLS; i++) {
			this.results.add(retry.callAsync(() -> CompletableFuture.completedFuture("done")));
		}
		assertThat(this.pace.status().waiting()).isEqualTo(CALLS);
	}

	@ParameterizedTest
	@CsvSource({ "1h, 0, 0", "23s, 0.25, 0.75", "shutdown, 1, 1" })
	void callsWait_allEnd(String end, double least, double most) {
		startAll(end.equals("23s") ? Duration.ofSeconds(23) : Duration.ofHours(1));
		if (end.equals("shutdown")) {
			this.registry.shutDown();
		}
		else {
			this.time.runUntil(Duration.ofMinutes(1).toNanos());
		}
		assertThat(this.results).allMatch(CompletableFuture::isDone);
		assertThat(this.pace.status().waiting()).isZero();
		long failed = this.results.stream().filter(CompletableFuture::isCompletedExceptionally).count();
		assertThat((double) failed / CALLS).isBetween(least, most);
	}

}
