package dev.backoff.spring.observation;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.backoff.Retry;
import dev.backoff.RetryBuilder;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.delay.Jitter;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.observation.CallStatistics.Earned;
import dev.backoff.spring.observation.CallStatistics.MethodCalls;
import dev.backoff.spring.observation.CallStatistics.RetryWorth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The same numbers, whatever counts them. */
class CallStatisticsTests {

	private final VirtualTime time = new VirtualTime();

	static Stream<Arguments> recorders() {
		return Stream.of(recorders("without meters", new BoundedRecorders()),
				recorders("with meters", bound(new SimpleMeterRegistry(), false)),
				recorders("with durations", bound(new SimpleMeterRegistry(), true)),
				recorders("before there is a registry",
						new MicrometerRecorders(() -> null, List.of(), false, () -> null)));
	}

	private static <R extends CallRecorder.Factory & CallStatistics> Arguments recorders(String name, R recorders) {
		return Arguments.of(name, recorders, recorders);
	}

	private static MicrometerRecorders bound(MeterRegistry registry, boolean durations) {
		MicrometerRecorders recorders = new MicrometerRecorders(() -> registry, List.of(), durations, () -> null);
		recorders.bind();
		return recorders;
	}

	private RetryBuilder retry(CallRecorder.Factory recorders, String policy) {
		return Retry.builder(RetryPolicy.builder(policy).jitter(Jitter.none()).maxAttempts(3).build())
			.method("OrderService.place")
			.time(this.time)
			.executor(Runnable::run)
			.recorder(recorders.recorder(policy, "OrderService.place"));
	}

	private static String outcomes(List<Exception> failures) throws Exception {
		if (!failures.isEmpty()) {
			throw failures.remove(0);
		}
		return "fine";
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("recorders")
	void countCallsAttemptsAndRetries(String name, CallRecorder.Factory recorders, CallStatistics statistics)
			throws Exception {
		Retry retry = retry(recorders, "orders").build();
		for (int failures : new int[] { 0, 0, 1, 2 }) {
			List<Exception> script = new ArrayList<>();
			for (int i = 0; i < failures; i++) {
				script.add(new IOException("down"));
			}
			assertThat(retry.<String, Exception>call(() -> outcomes(script))).isEqualTo("fine");
		}
		assertThatThrownBy(() -> retry.call(() -> {
			throw new IOException("down");
		})).isInstanceOf(IOException.class);
		assertThatThrownBy(() -> retry.call(() -> {
			throw new IllegalArgumentException("bug");
		})).isInstanceOf(IllegalArgumentException.class);
		assertThat(retry.callAsync(CompletableFuture::new).cancel(true)).isTrue();
		CircuitBreaker breaker = CircuitBreaker.builder("orders").time(this.time).build();
		breaker.forceOpen();
		assertThatThrownBy(() -> retry(recorders, "orders").breaker(breaker).build().call(() -> "never"))
			.hasMessageContaining("orders");
		assertThat(statistics.of("orders", "OrderService.place"))
			.contains(new MethodCalls("orders", "OrderService.place",
					Map.of(StopReason.SUCCEEDED, 4L, StopReason.ATTEMPTS_EXHAUSTED, 1L, StopReason.NOT_RETRYABLE, 1L,
							StopReason.CANCELLED, 1L, StopReason.BREAKER_OPEN, 1L),
					1 + 1 + 2 + 3 + 3 + 1 + 1, 1 + 2 + 2,
					Map.of("2", new Earned(3, 1), "3", new Earned(2, 1), "other", new Earned(5, 2))));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("recorders")
	void knowMethodsBeforeTheirFirstCall(String name, CallRecorder.Factory recorders, CallStatistics statistics) {
		assertThat(statistics.all()).isEmpty();
		recorders.recorder("orders", "OrderService.place");
		recorders.recorder("payments", "Payments.pay");
		assertThat(statistics.of("orders", "OrderService.place"))
			.contains(new MethodCalls("orders", "OrderService.place", Map.of(), 0, 0, Map.of()));
		assertThat(statistics.of("orders", "OrderService.cancel")).isEmpty();
		assertThat(statistics.all()).extracting(MethodCalls::policy).containsExactlyInAnyOrder("orders", "payments");
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("recorders")
	void areExactUnderManyThreads(String name, CallRecorder.Factory recorders, CallStatistics statistics) {
		Crowd.of(16, (number) -> {
			CallRecorder recorder = recorders.recorder("orders", "OrderService.place");
			for (int i = 0; i < 1_000; i++) {
				recorder.attempt(1, AttemptOutcome.TRANSIENT, 1);
				recorder.retry(RetryCause.IO);
				recorder.attempt(2, AttemptOutcome.SUCCESS, 1);
				recorder.call(StopReason.SUCCEEDED, 2);
				recorder.retried(RetryCause.IO, 2, true);
			}
		});
		assertThat(statistics.all())
			.containsExactly(new MethodCalls("orders", "OrderService.place", Map.of(StopReason.SUCCEEDED, 16_000L),
					32_000, 16_000, Map.of("2", new Earned(16_000, 16_000), "io", new Earned(16_000, 16_000))));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("recorders")
	void areBounded(String name, CallRecorder.Factory recorders, CallStatistics statistics) {
		for (int i = 0; i < BoundedRecorders.MOST + 100; i++) {
			recorders.recorder("policy" + i % 2, "method" + i).call(StopReason.SUCCEEDED, 1);
		}
		assertThat(statistics.all()).hasSize(BoundedRecorders.MOST + 2);
		assertThat(statistics.of("policy0", "method1000")).isEmpty();
		assertThat(statistics.of("policy0", BoundedRecorders.OTHER))
			.hasValueSatisfying((others) -> assertThat(others.calls()).isEqualTo(Map.of(StopReason.SUCCEEDED, 50L)));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("recorders")
	void sumWhatTheRetriesOfAPolicyEarned(String name, CallRecorder.Factory recorders, CallStatistics statistics) {
		CallRecorder place = recorders.recorder("orders", "OrderService.place");
		place.call(StopReason.SUCCEEDED, 1);
		place.retried(RetryCause.IO, 2, true);
		place.retried(RetryCause.IO, 7, true);
		place.retried(RetryCause.LOCK, 4, false);
		recorders.recorder("orders", "OrderService.cancel").retried(RetryCause.LOCK, 3, true);
		recorders.recorder("payments", "Payments.pay").retried(RetryCause.LOCK, 3, true);
		RetryWorth worth = statistics.worth("orders");
		assertThat(worth).isEqualTo(new RetryWorth(1, 1, Map.of("2", new Earned(4, 1), "3", new Earned(3, 1), "4",
				new Earned(2, 0), "5+", new Earned(3, 1), "io", new Earned(7, 2), "lock", new Earned(5, 1))));
		assertThat(worth.from(2)).isEqualTo(new Earned(12, 3));
		assertThat(worth.from(4)).isEqualTo(new Earned(5, 1));
		assertThat(statistics.worth("unknown")).isEqualTo(new RetryWorth(0, 0, Map.of()));
	}

	@Test
	void areWhatTheyWereWhenAsked() {
		BoundedRecorders recorders = new BoundedRecorders();
		CallRecorder recorder = recorders.recorder("orders", "m");
		recorder.call(StopReason.BUDGET, Duration.ofSeconds(1).toNanos());
		List<MethodCalls> before = recorders.all();
		recorder.call(StopReason.BUDGET, 1);
		assertThat(before)
			.containsExactly(new MethodCalls("orders", "m", Map.of(StopReason.BUDGET, 1L), 0, 0, Map.of()));
	}

}
