package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.cumulative.CumulativeTimer;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.ClockDriftPauseDetector;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.CountingMode;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.backoff.event.CallRecorder;
import dev.backoff.event.StopReason;
import dev.backoff.spring.policy.BackoffProperties.CallMeter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests for {@link TimedCalls}, and for the meters that are read off it. */
class TimedCallsTests {

	private static final Tags TAGS = BackoffMeters.ATTEMPTS.tags("orders", "m", "1", "success");

	@Nested
	class Timers {

		@Test
		void thatOnlyGrowTellOfCalls() {
			assertThat(of(new SimpleMeterRegistry())).isNotNull();
			assertThat(of(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))).isNotNull();
		}

		@Test
		void thatCountForAnIntervalDoNot() {
			assertThat(of(new SimpleMeterRegistry(step(), Clock.SYSTEM))).isNull();
		}

		@Test
		void ofSeveralRegistriesDoNot() {
			assertThat(of(new CompositeMeterRegistry().add(new SimpleMeterRegistry()))).isNull();
		}

		@Test
		void thatAreDeniedDoNot() {
			assertThat(of(filtered(MeterFilter.deny()))).isNull();
		}

		@Test
		void thatOthersShareDoNot() {
			assertThat(of(filtered(MeterFilter.ignoreTags("method")))).isNull();
			assertThat(of(filtered(MeterFilter.replaceTagValues("attempt", (value) -> "any")))).isNull();
		}

		@Test
		void thatMakeUpForPausesDoNot() {
			MeterRegistry registry = new SimpleMeterRegistry();
			registry.config()
				.pauseDetector(new ClockDriftPauseDetector(Duration.ofMillis(100), Duration.ofMillis(100)));
			assertThat(TimerReaders.read(registry, registry.timer("backoff.attempts", TAGS), TAGS)).isNull();
		}

		@Test
		void thatWereUsedBeforeDoNot() {
			MeterRegistry registry = new SimpleMeterRegistry();
			Timer timer = registry.timer("backoff.attempts", TAGS);
			assertThat(TimerReaders.use(registry, timer).calls()).isNull();
			assertThat(TimerReaders.read(registry, timer, TAGS)).isNull();
		}

		@Test
		void tellWhoeverRecordsInThemWhatIsReadOffThem() {
			MeterRegistry registry = new SimpleMeterRegistry();
			Timer timer = registry.timer("backoff.attempts", TAGS);
			TimedCalls calls = TimerReaders.read(registry, timer, TAGS);
			assertThat(calls).isNotNull();
			assertThat(TimerReaders.read(registry, timer, TAGS)).isNull();
			assertThat(TimerReaders.use(registry, timer).calls()).isSameAs(calls);
			MeterRegistry other = new SimpleMeterRegistry();
			assertThat(TimerReaders.use(other, other.timer("backoff.attempts", TAGS)).calls()).isNull();
		}

		@Test
		void mayHaveCountedBefore() {
			MeterRegistry registry = new SimpleMeterRegistry();
			Timer timer = registry.timer("backoff.attempts", TAGS);
			timer.record(5, TimeUnit.SECONDS);
			TimedCalls calls = timed(timer);
			calls.record(7);
			assertThat(calls.count()).isEqualTo(1);
			assertThat(calls.nanos()).isEqualTo(7);
		}

		private @Nullable TimedCalls of(MeterRegistry registry) {
			return TimedCalls.of(registry.timer("backoff.attempts", TAGS), TAGS);
		}

	}

	@Nested
	class Numbers {

		private final MeterRegistry registry = new SimpleMeterRegistry();

		private final Timer timer = this.registry.timer("backoff.attempts", TAGS);

		private final TimedCalls calls = timed(this.timer);

		@Test
		void areOfCallsThatSucceededAtOnce() {
			this.calls.record(10);
			this.calls.record(20);
			assertThat(this.calls.count()).isEqualTo(2);
			assertThat(this.calls.nanos()).isEqualTo(30);
			assertThat(this.timer.count()).isEqualTo(2);
		}

		@Test
		void lackWhatTheTimerRecordsBesides() {
			this.calls.record(10);
			this.calls.recordOther(500);
			assertThat(this.calls.count()).isEqualTo(1);
			assertThat(this.calls.nanos()).isEqualTo(10);
			assertThat(this.timer.count()).isEqualTo(2);
		}

		@Test
		void neverDecrease() throws Exception {
			ExecutorService executor = Executors.newSingleThreadExecutor();
			try {
				Future<?> written = executor.submit(() -> {
					for (int i = 0; i < 200_000; i++) {
						this.calls.record(3);
						this.calls.recordOther(5);
					}
				});
				long count = 0;
				long nanos = 0;
				while (!written.isDone()) {
					assertThat(this.calls.count()).isGreaterThanOrEqualTo(count);
					assertThat(this.calls.nanos()).isGreaterThanOrEqualTo(nanos);
					count = this.calls.count();
					nanos = this.calls.nanos();
				}
				written.get(1, TimeUnit.MINUTES);
			}
			finally {
				executor.shutdownNow();
			}
			assertThat(this.calls.count()).isEqualTo(200_000);
			assertThat(this.calls.nanos()).isEqualTo(600_000);
		}

	}

	@Nested
	class WholeCalls {

		@ParameterizedTest
		@EnumSource(CallMeter.class)
		void areCountedOnceInEveryRegistry(CallMeter meter) {
			List<Supplier<MeterRegistry>> registries = List.of(SimpleMeterRegistry::new,
					() -> new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
					() -> new CompositeMeterRegistry().add(new SimpleMeterRegistry()),
					() -> filtered(MeterFilter.ignoreTags("attempt", "outcome")),
					() -> filtered(MeterFilter.replaceTagValues("attempt", (value) -> "1")),
					() -> filtered(MeterFilter.denyNameStartsWith("backoff.attempts")));
			for (Supplier<MeterRegistry> registry : registries) {
				assertCounted(registry.get(), meter);
			}
		}

		@Test
		void areCountedByThisProcessInAnyRegistry() {
			MicrometerRecorders recorders = new MicrometerRecorders(
					() -> new SimpleMeterRegistry(step(), Clock.SYSTEM));
			FiveCalls.record(recorders.recorder("orders", "m"));
			assertThat(recorders.all().get(0).calls()).containsEntry(StopReason.SUCCEEDED, 5L);
		}

		@Test
		void areCountedIfManyThreadsBeginAtOnce() throws Exception {
			for (int round = 0; round < 50; round++) {
				MeterRegistry registry = new SimpleMeterRegistry();
				MicrometerRecorders recorders = new MicrometerRecorders(() -> registry);
				ExecutorService executor = Executors.newFixedThreadPool(4);
				try {
					List<Future<?>> done = new ArrayList<>();
					for (int thread = 0; thread < 4; thread++) {
						done.add(executor.submit(() -> FiveCalls.record(recorders.recorder("orders", "m"))));
					}
					for (Future<?> future : done) {
						future.get(1, TimeUnit.MINUTES);
					}
				}
				finally {
					executor.shutdownNow();
				}
				assertThat(succeeded(registry).count()).isEqualTo(20);
				assertThat(succeeded(registry).totalTime(TimeUnit.NANOSECONDS)).isEqualTo(4 * 1_370);
			}
		}

		@Test
		void areCountedByMethodsThatAFilterLetsShareATimer() {
			for (List<String> order : List.of(List.of("first", "second"), List.of("second", "first"))) {
				MeterRegistry registry = filtered(MeterFilter.replaceTagValues("method", (value) -> "first"));
				MicrometerRecorders recorders = new MicrometerRecorders(() -> registry);
				order.forEach((method) -> FiveCalls.record(recorders.recorder("orders", method)));
				order.forEach((method) -> FiveCalls.record(recorders.recorder("orders", method)));
				assertThat(recorders.all())
					.allSatisfy((method) -> assertThat(method.calls()).isEqualTo(Map.of(StopReason.SUCCEEDED, 10L)));
				assertThat(succeeded(registry).count()).isEqualTo(10);
				assertThat(succeeded(registry).totalTime(TimeUnit.NANOSECONDS)).isEqualTo(2 * 1_370);
			}
		}

		@Test
		void areCountedByEachOfSeveralApplicationsWithOneRegistry() {
			MeterRegistry registry = new SimpleMeterRegistry();
			MicrometerRecorders first = new MicrometerRecorders(() -> registry);
			MicrometerRecorders second = new MicrometerRecorders(() -> registry);
			for (int i = 0; i < 2; i++) {
				FiveCalls.record(first.recorder("orders", "m"));
				FiveCalls.record(second.recorder("orders", "m"));
			}
			assertThat(first.all().get(0).calls()).containsEntry(StopReason.SUCCEEDED, 10L);
			assertThat(second.all().get(0).calls()).containsEntry(StopReason.SUCCEEDED, 10L);
			assertThat(succeeded(registry).count()).isEqualTo(10);
			assertThat(registry.get("backoff.attempts").tags("attempt", "1", "outcome", "success").timer().count())
				.isEqualTo(16);
		}

		@Test
		void areCountedAfterTheirMetersWereRemoved() {
			MeterRegistry registry = new SimpleMeterRegistry();
			MicrometerRecorders recorders = new MicrometerRecorders(() -> registry);
			FiveCalls.record(recorders.recorder("orders", "m"));
			registry.clear();
			FiveCalls.record(recorders.recorder("orders", "m"));
			assertThat(recorders.all().get(0).calls()).containsEntry(StopReason.SUCCEEDED, 10L);
			MicrometerRecorders later = new MicrometerRecorders(() -> registry);
			FiveCalls.record(later.recorder("orders", "m"));
			assertThat(succeeded(registry).count()).isEqualTo(10);
			assertThat(later.all().get(0).calls()).containsEntry(StopReason.SUCCEEDED, 5L);
			assertThat(recorders.all().get(0).calls()).containsEntry(StopReason.SUCCEEDED, 10L);
		}

		@Test
		void areCountedThoughATimerThrows() {
			MeterRegistry registry = new CompositeMeterRegistry().add(new ThrowingTimers());
			MicrometerRecorders recorders = new MicrometerRecorders(() -> registry);
			CallRecorder recorder = recorders.recorder("orders", "m");
			assertThatThrownBy(() -> recorder.succeededAtOnce(10)).hasMessage("timer");
			assertThat(recorders.all().get(0).calls()).containsEntry(StopReason.SUCCEEDED, 1L);
		}

		private void assertCounted(MeterRegistry registry, CallMeter meter) {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> registry, List.of(), meter);
			FiveCalls.record(recorders.recorder("orders", "m"));
			assertThat(recorders.all().get(0).calls()).containsEntry(StopReason.SUCCEEDED, 5L);
			if (meter == CallMeter.COUNTER) {
				assertThat(succeeded(registry).count()).isEqualTo(5);
				assertThat(succeeded(registry).totalTime(TimeUnit.NANOSECONDS)).isEqualTo(1_370);
			}
			else {
				Timer timer = registry.get("backoff.calls").tag("stop", "succeeded").timer();
				assertThat(timer.count()).isEqualTo(5);
				assertThat(timer.totalTime(TimeUnit.NANOSECONDS)).isEqualTo(1_370);
			}
		}

		private static FunctionTimer succeeded(MeterRegistry registry) {
			return registry.get("backoff.calls").tag("stop", "succeeded").functionTimer();
		}

	}

	/** A registry whose timers fail when they record. */
	private static final class ThrowingTimers extends SimpleMeterRegistry {

		@Override
		protected Timer newTimer(Meter.Id id, DistributionStatisticConfig config, PauseDetector pauses) {
			return new CumulativeTimer(id, this.clock, config, pauses, TimeUnit.NANOSECONDS) {

				@Override
				protected void recordNonNegative(long amount, TimeUnit unit) {
					throw new IllegalStateException("timer");
				}

			};
		}

	}

	private static TimedCalls timed(Timer timer) {
		TimedCalls calls = TimedCalls.of(timer, TAGS);
		assertThat(calls).isNotNull();
		return calls;
	}

	private static MeterRegistry filtered(MeterFilter filter) {
		MeterRegistry registry = new SimpleMeterRegistry();
		registry.config().meterFilter(filter);
		return registry;
	}

	private static SimpleConfig step() {
		return new SimpleConfig() {

			@Override
			public @Nullable String get(String key) {
				return null;
			}

			@Override
			public CountingMode mode() {
				return CountingMode.STEP;
			}

			@Override
			public Duration step() {
				return Duration.ofHours(1);
			}

		};
	}

}
