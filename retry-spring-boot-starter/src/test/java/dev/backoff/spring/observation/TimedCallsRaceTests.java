package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.backoff.Retry;
import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.event.CallObserver;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.observation.CallStatistics.MethodCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Calls of all manners at once, from the first one on, whose numbers are read meanwhile:
 * whatever the registry does with its meters, none is missed, and none is counted twice.
 */
@Timeout(120)
class TimedCallsRaceTests {

	private static final int THREADS = 4;

	private static final int ROUNDS = 300;

	/*
	 * Of each round: three calls that succeed, one of them retried, and one that stops.
	 */
	private static final long SUCCEEDED = 3L * THREADS * ROUNDS;

	private static final long STOPPED = (long) THREADS * ROUNDS;

	private static final RetryPolicy POLICY = RetryPolicy.builder("orders")
		.jitter(Jitter.none())
		.shape(Shape.fixed(Duration.ZERO))
		.maxAttempts(2)
		.build();

	static Stream<MeterRegistry> registries() {
		return Stream.of(new SimpleMeterRegistry(), new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
				new CompositeMeterRegistry().add(new SimpleMeterRegistry()),
				filtered(MeterFilter.replaceTagValues("attempt", (value) -> "1")),
				filtered(MeterFilter.replaceTagValues("outcome", (value) -> "success")),
				filtered(MeterFilter.ignoreTags("attempt")),
				filtered(MeterFilter.denyNameStartsWith("backoff.attempts")));
	}

	private static MeterRegistry filtered(MeterFilter filter) {
		MeterRegistry registry = new SimpleMeterRegistry();
		registry.config().meterFilter(filter);
		return registry;
	}

	@ParameterizedTest
	@MethodSource("registries")
	void countsEachCallOnce(MeterRegistry registry) {
		MicrometerRecorders recorders = new MicrometerRecorders(() -> registry);
		AtomicInteger running = new AtomicInteger(THREADS);
		Crowd.of(THREADS + 1, (number) -> {
			if (number == THREADS) {
				readWhile(running, recorders, registry);
				return;
			}
			try {
				call(recorders, (number % 2 == 0) ? observer() : null);
			}
			finally {
				running.decrementAndGet();
			}
		});
		MethodCalls calls = recorders.of("orders", "m").orElseThrow();
		assertThat(calls.calls()).containsOnlyKeys(StopReason.SUCCEEDED, StopReason.ATTEMPTS_EXHAUSTED)
			.containsEntry(StopReason.SUCCEEDED, SUCCEEDED)
			.containsEntry(StopReason.ATTEMPTS_EXHAUSTED, STOPPED);
		assertThat(calls.attempts()).isEqualTo(SUCCEEDED + 3 * STOPPED);
		assertThat(calls.retries()).isEqualTo(2 * STOPPED);
		assertThat(timed(registry, "succeeded").count()).isEqualTo(SUCCEEDED);
		assertThat(timed(registry, "attempts_exhausted").count()).isEqualTo(STOPPED);
		assertThat(registry.find("backoff.attempts").timers().stream().mapToLong(Timer::count).sum()).isIn(0L,
				calls.attempts());
	}

	private static void call(MicrometerRecorders recorders, @Nullable CallObserver observer) {
		Retry retry = Retry.builder(POLICY)
			.method("m")
			.time(new VirtualTime())
			.executor(Runnable::run)
			.recorder(recorders.recorder("orders", "m"))
			.observer(observer)
			.build();
		for (int i = 0; i < ROUNDS; i++) {
			retry.call(() -> "good");
			retry.callAsync(() -> CompletableFuture.completedFuture("good")).join();
			AtomicInteger attempts = new AtomicInteger();
			retry.call(() -> (attempts.incrementAndGet() > 1) ? "good" : fail());
			assertThat(catchThrowable(() -> retry.call(TimedCallsRaceTests::fail))).hasMessage("down");
		}
	}

	private static String fail() {
		throw new IllegalStateException("down");
	}

	private static MicrometerObserver observer() {
		ObservationRegistry observations = ObservationRegistry.create();
		observations.observationConfig().observationHandler((ObservationHandler<?>) (context) -> true);
		return new MicrometerObserver(observations);
	}

	private static void readWhile(AtomicInteger running, MicrometerRecorders recorders, MeterRegistry registry) {
		long counted = 0;
		double published = 0;
		while (running.get() > 0) {
			long now = recorders.of("orders", "m")
				.map((calls) -> calls.calls().getOrDefault(StopReason.SUCCEEDED, 0L))
				.orElse(0L);
			assertThat(now).isBetween(counted, SUCCEEDED);
			counted = now;
			List<FunctionTimer> timers = registry.find("backoff.calls")
				.tag("stop", "succeeded")
				.functionTimers()
				.stream()
				.toList();
			double read = timers.isEmpty() ? 0 : timers.get(0).count();
			assertThat(read).isBetween(published, (double) SUCCEEDED);
			published = read;
		}
	}

	private static FunctionTimer timed(MeterRegistry registry, String stop) {
		return registry.get("backoff.calls").tag("stop", stop).functionTimer();
	}

}
