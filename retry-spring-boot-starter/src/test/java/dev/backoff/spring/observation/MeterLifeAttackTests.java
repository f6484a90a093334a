package dev.backoff.spring.observation;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.backoff.event.StopReason;
import dev.backoff.spring.policy.BackoffProperties.CallMeter;

import static org.assertj.core.api.Assertions.assertThat;

/** Registries that outlive applications, lose meters, change, and call back. */
@Timeout(120)
class MeterLifeAttackTests {

	private static final long CALLS = 5;

	static Stream<MeterRegistry> registries() {
		return Stream.of(new SimpleMeterRegistry(), new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
				new CompositeMeterRegistry().add(new SimpleMeterRegistry()));
	}

	@ParameterizedTest
	@MethodSource("registries")
	void applicationsOneAfterAnotherCountTheirOwnAndAreCollected(MeterRegistry registry) {
		for (int i = 1; i <= 4; i++) {
			WeakReference<MicrometerRecorders> closed = application(registry);
			for (int j = 0; j < 50 && closed.get() != null; j++) {
				System.gc();
			}
			assertThat(closed.get()).isNull();
			assertThat(succeededAttempts(registry)).isEqualTo(i * CALLS);
		}
	}

	private static WeakReference<MicrometerRecorders> application(MeterRegistry registry) {
		MicrometerRecorders recorders = new MicrometerRecorders(() -> registry);
		recorders.bind();
		FiveCalls.record(recorders.recorder("orders", "m"));
		assertCounted(recorders, "m", CALLS);
		return new WeakReference<>(recorders);
	}

	@ParameterizedTest
	@MethodSource("registries")
	void aTimerThatIsRemovedAndRegisteredAnewIsThatOfTheNext(MeterRegistry registry) {
		MicrometerRecorders first = new MicrometerRecorders(() -> registry);
		FiveCalls.record(first.recorder("orders", "m"));
		registry.find("backoff.attempts").timers().forEach(registry::remove);
		MicrometerRecorders second = new MicrometerRecorders(() -> registry);
		MicrometerRecorders third = new MicrometerRecorders(() -> registry);
		for (int i = 1; i <= 3; i++) {
			FiveCalls.record(second.recorder("orders", "m"));
			FiveCalls.record(first.recorder("orders", "m"));
			FiveCalls.record(third.recorder("orders", "m"));
			assertCounted(first, "m", CALLS + i * CALLS);
			assertCounted(second, "m", i * CALLS);
			assertCounted(third, "m", i * CALLS);
		}
		assertThat(succeededAttempts(registry)).isEqualTo(9 * CALLS);
		assertThat(succeeded(registry).count()).isEqualTo(4 * CALLS);
		assertThat(succeeded(registry).totalTime(TimeUnit.NANOSECONDS)).isEqualTo(4 * 1_370);
	}

	@ParameterizedTest
	@MethodSource("registries")
	void aRegistryThatIsClearedHasItsMetersAgainWithTheNextCall(MeterRegistry registry) {
		MicrometerRecorders recorders = new MicrometerRecorders(() -> registry);
		recorders.bind();
		List<Meter.Id> published = ids(registry);
		for (long i = 1; i <= 40; i++) {
			FiveCalls.record(recorders.recorder("orders", "m"));
			registry.clear();
			assertThat(registry.getMeters()).isEmpty();
			FiveCalls.record(recorders.recorder("orders", "m"));
			assertThat(ids(registry)).containsAll(published);
			assertThat(Math.round(succeeded(registry).count())).isEqualTo(i * 2 * CALLS);
			assertThat(Math.round(succeeded(registry).totalTime(TimeUnit.NANOSECONDS))).isEqualTo(i * 2 * 1_370);
			assertThat(succeededAttempts(registry)).isEqualTo(CALLS);
			assertCounted(recorders, "m", i * 2 * CALLS);
		}
	}

	private static List<Meter.Id> ids(MeterRegistry registry) {
		return registry.getMeters().stream().map(Meter::getId).toList();
	}

	@ParameterizedTest
	@MethodSource("registries")
	void aMeterThatIsRemovedIsThereAgainWithTheNextCall(MeterRegistry registry) {
		MicrometerRecorders recorders = new MicrometerRecorders(() -> registry, List.of(), CallMeter.TIMER);
		FiveCalls.record(recorders.recorder("orders", "m"));
		registry.find("backoff.calls").timers().forEach(registry::remove);
		FiveCalls.record(recorders.recorder("orders", "m"));
		assertThat(registry.get("backoff.calls").tags("stop", "succeeded").timer().count()).isEqualTo(CALLS);
		assertThat(succeededAttempts(registry)).isEqualTo(2 * CALLS);
		assertCounted(recorders, "m", 2 * CALLS);
	}

	@ParameterizedTest
	@MethodSource("registries")
	void aRegistryThatIsClearedDuringCallsShowsThemAll(MeterRegistry registry) {
		MicrometerRecorders recorders = new MicrometerRecorders(() -> registry);
		recorders.bind();
		CompletableFuture<?>[] callers = new CompletableFuture<?>[3];
		for (int i = 0; i < callers.length; i++) {
			callers[i] = CompletableFuture.runAsync(() -> {
				for (int call = 0; call < 20_000; call++) {
					recorders.recorder("orders", "m").succeededAtOnce(10);
				}
			});
		}
		CompletableFuture<Void> called = CompletableFuture.allOf(callers).orTimeout(60, TimeUnit.SECONDS);
		for (int i = 0; i < 25 && !called.isDone(); i++) {
			registry.clear();
		}
		called.join();
		registry.clear();
		FiveCalls.record(recorders.recorder("orders", "m"));
		assertCounted(recorders, "m", 60_000 + CALLS);
		assertThat(succeeded(registry).count()).isEqualTo(60_000 + CALLS);
		assertThat(Math.round(succeeded(registry).totalTime(TimeUnit.NANOSECONDS))).isEqualTo(600_000 + 1_370);
		assertThat(succeededAttempts(registry)).isEqualTo(CALLS);
	}

	@ParameterizedTest
	@MethodSource("registries")
	void aFilterThatComesLateMixesNoMethodsUp(MeterRegistry registry) {
		MicrometerRecorders recorders = new MicrometerRecorders(() -> registry);
		FiveCalls.record(recorders.recorder("orders", "m"));
		registry.config().meterFilter(MeterFilter.replaceTagValues("method", (value) -> "m"));
		MicrometerRecorders later = new MicrometerRecorders(() -> registry);
		for (int i = 1; i <= 2; i++) {
			FiveCalls.record(recorders.recorder("orders", "m"));
			FiveCalls.record(recorders.recorder("orders", "n"));
			FiveCalls.record(later.recorder("orders", "m"));
			assertCounted(recorders, "m", CALLS + i * CALLS);
			assertCounted(recorders, "n", i * CALLS);
			assertCounted(later, "m", i * CALLS);
		}
		assertThat(succeededAttempts(registry)).isEqualTo(7 * CALLS);
	}

	@Test
	void aRegistryThatComesLateShowsAllCalls() {
		CompositeMeterRegistry registry = new CompositeMeterRegistry();
		MicrometerRecorders recorders = new MicrometerRecorders(() -> registry);
		FiveCalls.record(recorders.recorder("orders", "m"));
		registry.add(new SimpleMeterRegistry());
		FiveCalls.record(recorders.recorder("orders", "m"));
		registry.add(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
		FiveCalls.record(recorders.recorder("orders", "m"));
		for (MeterRegistry each : registry.getRegistries()) {
			assertThat(succeeded(each).count()).isEqualTo(3 * CALLS);
			assertThat(succeeded(each).totalTime(TimeUnit.NANOSECONDS)).isEqualTo(3 * 1_370);
		}
		assertCounted(recorders, "m", 3 * CALLS);
	}

	@ParameterizedTest
	@MethodSource("registries")
	void whoIsToldOfAMeterMayMakeACall(MeterRegistry registry) {
		MicrometerRecorders recorders = new MicrometerRecorders(() -> registry);
		AtomicInteger calls = new AtomicInteger();
		registry.config().onMeterAdded((meter) -> {
			calls.incrementAndGet();
			recorders.recorder("orders", "told").succeededAtOnce(10);
		});
		callFromManyThreads(recorders);
		// once for each meter, not until the stack is full
		assertThat(calls.get()).isBetween(1, 60);
		assertCounted(recorders, "m", 4 * CALLS);
		assertCounted(recorders, "told", calls.get());
	}

	@ParameterizedTest
	@MethodSource("registries")
	void aFilterMayMakeACall(MeterRegistry registry) {
		MicrometerRecorders recorders = new MicrometerRecorders(() -> registry);
		AtomicInteger calls = new AtomicInteger();
		registry.config().meterFilter(new MeterFilter() {

			@Override
			public MeterFilterReply accept(Meter.Id id) {
				if (!"asked".equals(id.getTag("method"))) {
					calls.incrementAndGet();
					recorders.recorder("orders", "asked").succeededAtOnce(10);
				}
				return MeterFilterReply.NEUTRAL;
			}

		});
		callFromManyThreads(recorders);
		assertThat(calls).hasPositiveValue();
		assertCounted(recorders, "m", 4 * CALLS);
		assertCounted(recorders, "asked", calls.get());
	}

	@Test
	void aRegistryThatThrowsWhenItIsAskedForPausesMissesNoCalls() {
		MeterRegistry registry = new SimpleMeterRegistry() {

			@Override
			public Config config() {
				return new Config() {

					@Override
					public PauseDetector pauseDetector() {
						throw new IllegalStateException("pauses");
					}

				};
			}

		};
		MicrometerRecorders recorders = new MicrometerRecorders(() -> registry);
		FiveCalls.record(recorders.recorder("orders", "m"));
		FiveCalls.record(recorders.recorder("orders", "m"));
		assertCounted(recorders, "m", 2 * CALLS);
		assertThat(succeeded(registry).count()).isEqualTo(2 * CALLS);
	}

	private static void callFromManyThreads(MicrometerRecorders recorders) {
		List<CompletableFuture<Void>> callers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			callers.add(CompletableFuture.runAsync(() -> FiveCalls.record(recorders.recorder("orders", "m"))));
		}
		callers.forEach((caller) -> caller.orTimeout(30, TimeUnit.SECONDS).join());
	}

	private static void assertCounted(MicrometerRecorders recorders, String method, long calls) {
		assertThat(recorders.of("orders", method).orElseThrow().calls()).containsEntry(StopReason.SUCCEEDED, calls);
	}

	private static long succeededAttempts(MeterRegistry registry) {
		return registry.find("backoff.attempts")
			.tag("outcome", "success")
			.timers()
			.stream()
			.mapToLong(Timer::count)
			.sum();
	}

	private static FunctionTimer succeeded(MeterRegistry registry) {
		return registry.get("backoff.calls").tags("method", "m", "stop", "succeeded").functionTimer();
	}

}
