package dev.backoff.spring.observation;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import com.sun.management.ThreadMXBean;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.Operation;
import dev.backoff.Retry;
import dev.backoff.delay.Jitter;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

class MicrometerRecordersTests {

	private static final long MILLI = 1_000_000;

	private final VirtualTime time = VirtualTime.wrappingAfter(Duration.ofNanos(7));

	private final MeterRegistry simple = new SimpleMeterRegistry();

	private final PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

	private static MicrometerRecorders recorders(Supplier<? extends MeterRegistry> registry) {
		return new MicrometerRecorders(registry, List.of(), false, () -> null);
	}

	@Nested
	class AtTheStart {

		@Test
		void publishesAtZeroWhatAlertsAskFor() {
			MicrometerRecorders recorders = recorders(() -> prometheus);
			recorders.recorder("orders", "OrderService.place");
			assertThat(prometheus.getMeters()).isEmpty();
			recorders.bind();
			assertThat(scrape()).containsExactly(
					"backoff_attempts_seconds_count{attempt=\"1\",method=\"OrderService.place\",outcome=\"success\",policy=\"orders\"} 0",
					"backoff_attempts_seconds_sum{attempt=\"1\",method=\"OrderService.place\",outcome=\"success\",policy=\"orders\"} 0.0",
					"backoff_attempts_seconds_max{attempt=\"1\",method=\"OrderService.place\",outcome=\"success\",policy=\"orders\"} 0.0",
					"backoff_calls_total{method=\"OrderService.place\",policy=\"orders\",stop=\"attempts_exhausted\"} 0.0",
					"backoff_calls_total{method=\"OrderService.place\",policy=\"orders\",stop=\"breaker_open\"} 0.0",
					"backoff_calls_total{method=\"OrderService.place\",policy=\"orders\",stop=\"budget\"} 0.0",
					"backoff_calls_total{method=\"OrderService.place\",policy=\"orders\",stop=\"deadline\"} 0.0",
					"backoff_calls_total{method=\"OrderService.place\",policy=\"orders\",stop=\"succeeded\"} 0.0",
					"backoff_waiting{policy=\"orders\"} 0.0");
		}

		@Test
		void publishesLaterRecordersWhenTheyAreMade() {
			MicrometerRecorders recorders = recorders(() -> simple);
			recorders.bind();
			recorders.recorder("orders", "late");
			assertThat(simple.get("backoff.calls").tag("stop", "budget").functionCounter().count()).isZero();
		}

		@Test
		void bindsMoreThanOnce() {
			MicrometerRecorders recorders = recorders(() -> simple);
			recorders.recorder("orders", "m");
			recorders.bind();
			int meters = simple.getMeters().size();
			recorders.bind();
			assertThat(simple.getMeters()).hasSize(meters);
		}

		@Test
		void asksForTheRegistryLate() {
			AtomicInteger asked = new AtomicInteger();
			MicrometerRecorders recorders = recorders(() -> {
				asked.incrementAndGet();
				return simple;
			});
			CallRecorder recorder = recorders.recorder("orders", "m");
			assertThat(asked).hasValue(0);
			recorder.call(StopReason.SUCCEEDED, 1);
			recorder.call(StopReason.SUCCEEDED, 1);
			recorders.bind();
			assertThat(asked).hasValue(1);
		}

	}

	@Nested
	class Calls {

		@Test
		void scrapeTellsTheStory() {
			RetryPolicy policy = policy("orders").maxAttempts(3).build();
			Retry retry = retry(policy, recorders(() -> prometheus), "place");
			fail(retry, 3, new IOException("secret"));
			fail(retry, 1, new IOException("secret"));
			assertThat(scrape()).contains(
					"backoff_attempts_seconds_count{attempt=\"1\",method=\"place\",outcome=\"transient\",policy=\"orders\"} 2",
					"backoff_attempts_seconds_sum{attempt=\"1\",method=\"place\",outcome=\"transient\",policy=\"orders\"} 0.02",
					"backoff_attempts_seconds_max{attempt=\"1\",method=\"place\",outcome=\"transient\",policy=\"orders\"} 0.01",
					"backoff_attempts_seconds_count{attempt=\"2\",method=\"place\",outcome=\"success\",policy=\"orders\"} 1",
					"backoff_attempts_seconds_count{attempt=\"3\",method=\"place\",outcome=\"transient\",policy=\"orders\"} 1",
					"backoff_calls_total{method=\"place\",policy=\"orders\",stop=\"attempts_exhausted\"} 1.0",
					"backoff_calls_total{method=\"place\",policy=\"orders\",stop=\"succeeded\"} 1.0",
					"backoff_delay_seconds_count{policy=\"orders\",source=\"policy\"} 3",
					"backoff_delay_seconds_sum{policy=\"orders\",source=\"policy\"} 0.4",
					"backoff_delay_seconds_max{policy=\"orders\",source=\"policy\"} 0.2",
					"backoff_retries_total{cause=\"other\",method=\"place\",policy=\"orders\"} 3.0",
					"backoff_waiting{policy=\"orders\"} 0.0");
			assertThat(prometheus.scrape()).contains("# TYPE backoff_calls_total counter")
				.contains("# TYPE backoff_retries_total counter")
				.contains("# HELP backoff_waiting Calls that wait for their next attempt now")
				.doesNotContain("secret")
				.doesNotContain("backoff_calls_duration");
		}

		@Test
		void attemptsBeyondTheFourthShareATag() {
			Retry retry = retry(policy("orders").maxAttempts(7).build(), recorders(() -> simple), "m");
			fail(retry, 7, new IOException());
			for (String number : List.of("1", "2", "3", "4")) {
				assertThat(attempts("attempt", number, "outcome", "transient").count()).isEqualTo(1);
			}
			assertThat(attempts("attempt", "5+", "outcome", "transient").count()).isEqualTo(3);
		}

		@Test
		void countsEveryCallOnceByWhyItEnded() {
			MicrometerRecorders recorders = recorders(() -> simple);
			CallRecorder recorder = recorders.recorder("orders", "m");
			for (StopReason reason : StopReason.values()) {
				recorder.call(reason, MILLI);
			}
			for (StopReason reason : StopReason.values()) {
				assertThat(simple.get("backoff.calls").tag("stop", reason.tag()).functionCounter().count())
					.isEqualTo(1);
			}
			assertThat(simple.get("backoff.calls").functionCounters()).hasSize(StopReason.values().length);
		}

		@Test
		void countsRecoveries() {
			Retry retry = retry(policy("orders").maxAttempts(1).build(), recorders(() -> simple), "m");
			Operation<Integer, IOException> operation = () -> {
				throw new IOException();
			};
			for (int i = 0; i < 2; i++) {
				assertThatCode(() -> retry.call(operation, (context, stopped) -> 42)).doesNotThrowAnyException();
			}
			assertThatThrownBy(() -> retry.call(operation, (context, stopped) -> {
				throw new IllegalStateException();
			})).isInstanceOf(IllegalStateException.class);
			assertThat(simple.get("backoff.recovered").tag("outcome", "done").counter().count()).isEqualTo(2);
			assertThat(simple.get("backoff.recovered").tag("outcome", "failed").counter().count()).isEqualTo(1);
		}

		@Test
		void gaugeCountsWaitersOfAllMethodsOfAPolicy() {
			MicrometerRecorders recorders = recorders(() -> simple);
			CallRecorder first = recorders.recorder("orders", "first");
			CallRecorder second = recorders.recorder("orders", "second");
			recorders.bind();
			first.waiting(DelaySource.HINT, MILLI);
			second.waiting(DelaySource.POLICY, MILLI);
			assertThat(simple.get("backoff.waiting").gauge().value()).isEqualTo(2);
			first.waited();
			assertThat(simple.get("backoff.waiting").gauge().value()).isEqualTo(1);
			second.waited();
			assertThat(simple.get("backoff.waiting").gauge().value()).isZero();
			assertThat(simple.get("backoff.delay").tag("source", "hint").timer().count()).isEqualTo(1);
		}

		@Test
		void delaysTellWhoChoseThem() {
			RetryPolicy policy = policy("orders").maxAttempts(2)
				.classifiers(List.of((failure) -> FailureClassification.throttled(RetryCause.HTTP_429)
					.withHint(Duration.ofSeconds(2))))
				.build();
			fail(retry(policy, recorders(() -> simple), "m"), 2, new IOException());
			Timer delay = simple.get("backoff.delay").tag("source", "hint").timer();
			assertThat(delay.totalTime(TimeUnit.MILLISECONDS)).isGreaterThanOrEqualTo(2000);
			assertThat(attempts("attempt", "2", "outcome", "throttled").count()).isEqualTo(1);
			assertThat(simple.get("backoff.retries").tag("cause", "http_429").counter().count()).isEqualTo(1);
		}

		@Test
		void metersSurviveTheCollector() {
			MicrometerRecorders recorders = recorders(() -> simple);
			recorders.bind();
			recorders.recorder("orders", "m").call(StopReason.SUCCEEDED, MILLI);
			recorders.recorder("orders", "m").waiting(DelaySource.POLICY, MILLI);
			System.gc();
			assertThat(simple.get("backoff.waiting").gauge().value()).isEqualTo(1);
			recorders.recorder("orders", "m").call(StopReason.SUCCEEDED, MILLI);
			assertThat(simple.get("backoff.calls").tag("stop", "succeeded").functionCounter().count()).isEqualTo(2);
		}

	}

	@Nested
	class Names {

		@ParameterizedTest
		@ValueSource(booleans = { false, true })
		void everyMeterIsDocumentedAndEveryDocumentedMeterIsThere(boolean durations) {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> simple, List.of(), durations, () -> null);
			useEverything(recorders.recorder("orders", "m"));
			assertThat(simple.getMeters()).extracting((meter) -> meter.getId().getName())
				.containsOnly(EnumSet.range(BackoffMeters.ATTEMPTS, BackoffMeters.WAITING)
					.stream()
					.filter((meter) -> durations || meter != BackoffMeters.CALLS_DURATION)
					.map(BackoffMeters::getName)
					.toArray(String[]::new));
			for (Meter meter : simple.getMeters()) {
				BackoffMeters documented = documented(meter);
				assertThat(meter.getId().getDescription()).isEqualTo(documented.getDescription()).isNotBlank();
				assertThat(meter.getId().getTags()).extracting(Tag::getKey)
					.containsExactlyInAnyOrder(Arrays.stream(documented.getKeyNames())
						.map((key) -> key.asString())
						.toArray(String[]::new));
				assertThat(meter.getId().getType()).isEqualTo(documented.getType());
				assertThat(meter.getId().getBaseUnit())
					.isEqualTo((documented.getType() == Meter.Type.TIMER) ? "seconds" : null);
			}
		}

		@Test
		void scrapedNamesAreThese() {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> prometheus, List.of(), true, () -> null);
			useEverything(recorders.recorder("orders", "m"));
			Set<String> names = scrape().stream()
				.map((line) -> line.substring(0, line.indexOf('{')))
				.collect(Collectors.toCollection(TreeSet::new));
			assertThat(names).containsExactly("backoff_attempts_seconds_count", "backoff_attempts_seconds_max",
					"backoff_attempts_seconds_sum", "backoff_calls_duration_seconds_count",
					"backoff_calls_duration_seconds_max", "backoff_calls_duration_seconds_sum", "backoff_calls_total",
					"backoff_delay_seconds_count", "backoff_delay_seconds_max", "backoff_delay_seconds_sum",
					"backoff_recovered_total", "backoff_rescued_total", "backoff_retries_total", "backoff_waiting");
		}

		@Test
		void labelsMadeUpAsTheProgramGoesAreBounded() {
			MicrometerRecorders recorders = recorders(() -> simple);
			for (int i = 0; i < BoundedRecorders.MOST; i++) {
				recorders.recorder("orders", "label-" + i);
			}
			CallRecorder beyond = recorders.recorder("orders", "one-more");
			assertThat(recorders.recorder("orders", "another")).isSameAs(beyond);
			assertThat(recorders.recorder("orders", "label-7")).isNotSameAs(beyond);
			assertThat(recorders.recorder("another policy", "m"))
				.isSameAs(recorders.recorder("yet another policy", "m"));
			beyond.call(StopReason.BUDGET, 1);
			assertThat(simple.get("backoff.calls").tags("method", "other", "stop", "budget").functionCounter().count())
				.isEqualTo(1);
		}

		private void useEverything(CallRecorder recorder) {
			for (int number = 1; number <= 6; number++) {
				for (AttemptOutcome outcome : AttemptOutcome.values()) {
					recorder.attempt(number, outcome, 1);
				}
			}
			for (StopReason reason : StopReason.values()) {
				recorder.call(reason, 1);
			}
			for (DelaySource source : DelaySource.values()) {
				recorder.waiting(source, 1);
				recorder.waited();
			}
			for (RetryCause cause : RetryCause.values()) {
				recorder.retry(cause);
				recorder.retried(cause, 2, true);
			}
			recorder.recovered(RecoveryOutcome.DONE);
			recorder.recovered(RecoveryOutcome.FAILED);
			recorder.recovered(RecoveryOutcome.RETHROWN);
		}

		private static BackoffMeters documented(Meter meter) {
			return Arrays.stream(BackoffMeters.values())
				.filter((documented) -> documented.getName().equals(meter.getId().getName()))
				.findFirst()
				.orElseThrow();
		}

	}

	@Nested
	class Options {

		@Test
		void bucketsOfAttempts() {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> prometheus,
					List.of(Duration.ofMillis(50), Duration.ofSeconds(1)), false, () -> null);
			recorders.recorder("orders", "m").attempt(1, AttemptOutcome.SUCCESS, 70 * MILLI);
			String tags = "attempt=\"1\",method=\"m\",outcome=\"success\",policy=\"orders\"";
			assertThat(scrape()).contains("backoff_attempts_seconds_bucket{" + tags + ",le=\"0.05\"} 0",
					"backoff_attempts_seconds_bucket{" + tags + ",le=\"1.0\"} 1",
					"backoff_attempts_seconds_bucket{" + tags + ",le=\"+Inf\"} 1");
			assertThat(prometheus.scrape()).doesNotContain("backoff_calls_duration").doesNotContain("quantile");
		}

		@Test
		void bucketsOfTimedCalls() {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> prometheus, List.of(Duration.ofMillis(50)),
					true, () -> null);
			recorders.bind();
			recorders.recorder("orders", "m").call(StopReason.SUCCEEDED, 70 * MILLI);
			assertThat(scrape()).contains(
					"backoff_calls_duration_seconds_bucket{method=\"m\",policy=\"orders\",stop=\"succeeded\",le=\"+Inf\"} 1",
					"backoff_calls_duration_seconds_max{method=\"m\",policy=\"orders\",stop=\"succeeded\"} 0.07",
					"backoff_calls_total{method=\"m\",policy=\"orders\",stop=\"deadline\"} 0.0");
		}

		@Test
		void timedCallsWithoutBuckets() {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> simple, List.of(), true, () -> null);
			recorders.recorder("orders", "m").call(StopReason.HINT, 70 * MILLI);
			Timer calls = simple.get("backoff.calls.duration").tag("stop", "hint").timer();
			assertThat(calls.max(TimeUnit.MILLISECONDS)).isEqualTo(70);
			assertThat(calls.takeSnapshot().percentileValues()).isEmpty();
			assertThat(calls.takeSnapshot().histogramCounts()).isEmpty();
		}

	}

	/** Whatever the registry makes of our meters, each call counts once. */
	@Nested
	@TestInstance(TestInstance.Lifecycle.PER_CLASS)
	class Registries {

		Stream<MeterRegistry> registries() {
			return Stream.of(new SimpleMeterRegistry(), new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
					new CompositeMeterRegistry().add(new SimpleMeterRegistry()),
					filtered(MeterFilter.ignoreTags("attempt", "outcome")),
					filtered(MeterFilter.replaceTagValues("attempt", (value) -> "1")),
					filtered(MeterFilter.denyNameStartsWith("backoff.attempts")));
		}

		private MeterRegistry filtered(MeterFilter filter) {
			MeterRegistry registry = new SimpleMeterRegistry();
			registry.config().meterFilter(filter);
			return registry;
		}

		@ParameterizedTest
		@MethodSource("registries")
		void countEachCallOnce(MeterRegistry registry) {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> registry, List.of(), true, () -> null);
			FiveCalls.record(recorders.recorder("orders", "m"));
			assertThat(succeeded(recorders)).isEqualTo(5);
			assertThat(registry.get("backoff.calls").tag("stop", "succeeded").functionCounter().count()).isEqualTo(5);
			Timer timer = registry.get("backoff.calls.duration").tag("stop", "succeeded").timer();
			assertThat(timer.count()).isEqualTo(5);
			assertThat(timer.totalTime(TimeUnit.NANOSECONDS)).isEqualTo(1_370);
		}

		@ParameterizedTest
		@MethodSource("registries")
		void thatAreClearedStayWithoutOurMetersAndStatisticsGoOn(MeterRegistry registry) {
			MicrometerRecorders recorders = recorders(() -> registry);
			recorders.bind();
			FiveCalls.record(recorders.recorder("orders", "m"));
			registry.clear();
			FiveCalls.record(recorders.recorder("orders", "m"));
			assertThat(registry.getMeters()).isEmpty();
			assertThat(succeeded(recorders)).isEqualTo(10);
		}

		@ParameterizedTest
		@MethodSource("registries")
		void outliveApplications(MeterRegistry registry) {
			WeakReference<MicrometerRecorders> closed = application(registry);
			for (int i = 0; i < 50 && closed.get() != null; i++) {
				System.gc();
			}
			assertThat(closed.get()).isNull();
			assertThat(succeeded(Objects.requireNonNull(application(registry).get()))).isEqualTo(5);
		}

		private WeakReference<MicrometerRecorders> application(MeterRegistry registry) {
			MicrometerRecorders recorders = recorders(() -> registry);
			recorders.bind();
			FiveCalls.record(recorders.recorder("orders", "m"));
			return new WeakReference<>(recorders);
		}

		private long succeeded(MicrometerRecorders recorders) {
			return recorders.of("orders", "m").orElseThrow().calls().getOrDefault(StopReason.SUCCEEDED, 0L);
		}

	}

	@Nested
	class RegistryInTrouble {

		@Test
		void registryThatComesLateHasAllCalls() {
			AtomicReference<MeterRegistry> late = new AtomicReference<>();
			MicrometerRecorders recorders = recorders(late::get);
			CallRecorder recorder = recorders.recorder("orders", "m");
			recorder.call(StopReason.SUCCEEDED, MILLI);
			late.set(simple);
			recorder.call(StopReason.SUCCEEDED, MILLI);
			assertThat(simple.getMeters()).isEmpty();
			recorders.bind();
			assertThat(simple.get("backoff.calls").tag("stop", "succeeded").functionCounter().count()).isEqualTo(2);
		}

		@Test
		void wayToTheRegistryThatThrowsIsToldOnce() {
			AtomicInteger asked = new AtomicInteger();
			try (LogCapture log = new LogCapture(GuardedRegistry.class)) {
				MicrometerRecorders recorders = recorders(() -> {
					asked.incrementAndGet();
					throw new IllegalStateException("in creation");
				});
				CallRecorder recorder = recorders.recorder("orders", "m");
				for (int i = 0; i < 10; i++) {
					recorder.attempt(1, AttemptOutcome.SUCCESS, 1);
					recorder.call(StopReason.SUCCEEDED, 1);
				}
				assertThat(asked).hasValue(1);
				assertThat(log.lines(Level.WARN))
					.containsExactly("Found no meter registry; without it, calls have no meters");
			}
		}

		@Test
		void nameTakenByAnotherTypeDropsThatMeterOnly() {
			Counter.builder("backoff.attempts")
				.tags("policy", "orders", "method", "m", "attempt", "1", "outcome", "success")
				.register(simple);
			Gauge.builder("backoff.retries", () -> 1)
				.tags("policy", "orders", "method", "m", "cause", "other")
				.register(simple);
			assertMetersAreDropped("backoff.attempts", "backoff.retries");
			assertThat(simple.get("backoff.calls").tag("stop", "attempts_exhausted").functionCounter().count())
				.isEqualTo(2);
			assertThat(attempts("attempt", "1", "outcome", "transient").count()).isEqualTo(2);
		}

		@Test
		void filterThatThrowsDropsAllAndIsNotAskedAgain() {
			AtomicInteger asked = new AtomicInteger();
			simple.config().meterFilter(new MeterFilter() {

				@Override
				public Meter.Id map(Meter.Id id) {
					asked.incrementAndGet();
					throw new IllegalStateException("filter");
				}

			});
			assertMetersAreDropped("backoff.attempts", "backoff.calls", "backoff.waiting", "backoff.delay",
					"backoff.retries");
			assertThat(simple.getMeters()).isEmpty();
			// 1 success and 3 failing attempts, 5 reasons, gauge, delay, retries
			assertThat(asked).hasValue(12);
		}

		@Test
		void deniedMetersCountNothing() {
			simple.config().meterFilter(MeterFilter.denyNameStartsWith("backoff"));
			assertMetersAreDropped();
			assertThat(simple.getMeters()).isEmpty();
		}

		@Test
		void closedRegistryKeepsOldMetersCounting() {
			MicrometerRecorders recorders = recorders(() -> simple);
			CallRecorder recorder = recorders.recorder("orders", "m");
			recorders.bind();
			simple.close();
			recorder.attempt(1, AttemptOutcome.SUCCESS, 1);
			recorder.attempt(1, AttemptOutcome.TIMEOUT, 1);
			recorder.call(StopReason.SHUTDOWN, 1);
			recorder.retry(RetryCause.IO);
			assertThat(attempts("attempt", "1", "outcome", "success").count()).isEqualTo(1);
			assertThat(simple.find("backoff.retries").counter()).isNull();
		}

		@Test
		void throwingMeterNeverFailsACall() {
			MeterRegistry throwing = new ThrowingRegistry();
			Retry retry = retry(policy("orders").maxAttempts(2).build(), recorders(() -> throwing), "m");
			fail(retry, 2, new IOException());
			assertThat(throwing.get("backoff.calls").tag("stop", "attempts_exhausted").functionCounter().count())
				.isEqualTo(1);
		}

		@Test
		void compositeTellsAllItsRegistriesAndTotalsEvenThoseThatJoinLate() {
			CompositeMeterRegistry composite = new CompositeMeterRegistry();
			composite.add(simple);
			MicrometerRecorders recorders = recorders(() -> composite);
			CallRecorder recorder = recorders.recorder("orders", "m");
			recorder.attempt(1, AttemptOutcome.SUCCESS, MILLI);
			recorder.call(StopReason.SUCCEEDED, MILLI);
			composite.add(prometheus);
			recorder.attempt(1, AttemptOutcome.SUCCESS, MILLI);
			recorder.call(StopReason.SUCCEEDED, MILLI);
			assertThat(attempts("attempt", "1", "outcome", "success").count()).isEqualTo(2);
			assertThat(scrape()).contains(
					"backoff_attempts_seconds_count{attempt=\"1\",method=\"m\",outcome=\"success\",policy=\"orders\"} 1",
					"backoff_calls_total{method=\"m\",policy=\"orders\",stop=\"succeeded\"} 2.0");
		}

		private void assertMetersAreDropped(String... names) {
			try (LogCapture log = new LogCapture(GuardedRegistry.class)) {
				MicrometerRecorders recorders = recorders(() -> simple);
				Retry retry = retry(policy("orders").maxAttempts(3).build(), recorders, "m");
				fail(retry, 3, new IOException());
				recorders.bind();
				fail(retry, 3, new IOException());
				assertThat(retry.<Integer, RuntimeException>call(() -> 42)).isEqualTo(42);
				assertThat(log.lines(Level.WARN)).containsExactlyInAnyOrder(Arrays.stream(names)
					.map((name) -> "Dropped meter " + name + ", which the registry refused")
					.toArray(String[]::new));
			}
		}

	}

	@Nested
	class Cost {

		@ParameterizedTest
		@ValueSource(booleans = { false, true })
		void successAtOnceAllocatesNothing(boolean durations) {
			assertThat(allocatedByManyCalls(simple, List.of(), durations)).isZero();
			assertThat(allocatedByManyCalls(prometheus, List.of(), durations)).isZero();
		}

		@Test
		void bucketsAllocateNothingEither() {
			assertThat(allocatedByManyCalls(prometheus, List.of(Duration.ofMillis(1)), false)).isZero();
		}

		@Test
		void missingRegistryAllocatesNothing() {
			assertThat(allocatedByManyCalls(null, List.of(), false)).isZero();
		}

		private long allocatedByManyCalls(MeterRegistry registry, List<Duration> slo, boolean durations) {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> registry, slo, durations, () -> null);
			CallRecorder recorder = recorders.recorder("orders", "m");
			recorders.bind();
			ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
			long id = Thread.currentThread().getId();
			int rounds = 100_000;
			// the least of some rounds: the compiler and the maximum's ring buffer write
			// too
			long least = Long.MAX_VALUE;
			for (int round = 0; round < 5; round++) {
				long before = threads.getThreadAllocatedBytes(id);
				for (int i = 0; i < rounds; i++) {
					recorder.attempt(1, AttemptOutcome.SUCCESS, 1_000 + i);
					recorder.call(StopReason.SUCCEEDED, 1_000 + i);
				}
				least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
			}
			return least;
		}

	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void togetherEveryCallOfEveryThreadCounts(boolean durations) {
		int threads = 8;
		long each = 10_000;
		MicrometerRecorders recorders = new MicrometerRecorders(() -> this.simple, List.of(), durations, () -> null);
		Crowd.of(threads, (number) -> {
			CallRecorder recorder = recorders.recorder("orders", "m");
			for (int i = 0; i < each; i++) {
				recorder.attempt(1, AttemptOutcome.TRANSIENT, 10);
				recorder.waiting(DelaySource.POLICY, 30);
				recorder.waited();
				recorder.retry(RetryCause.IO);
				recorder.attempt(2, AttemptOutcome.SUCCESS, 20);
				recorder.call(StopReason.SUCCEEDED, 60);
				recorder.recovered(RecoveryOutcome.DONE);
				recorder.succeededOnFirstAttempt(7);
			}
		});
		long all = threads * each;
		assertThat(attempts("attempt", "1", "outcome", "transient").count()).isEqualTo(all);
		assertThat(attempts("attempt", "2", "outcome", "success").totalTime(TimeUnit.NANOSECONDS))
			.isEqualTo(20.0 * all);
		assertThat(this.simple.get("backoff.retries").counter().count()).isEqualTo((double) all);
		assertThat(this.simple.get("backoff.recovered").counter().count()).isEqualTo((double) all);
		assertThat(this.simple.get("backoff.delay").timer().count()).isEqualTo(all);
		assertThat(this.simple.get("backoff.waiting").gauge().value()).isZero();
		FunctionCounter calls = this.simple.get("backoff.calls").tag("stop", "succeeded").functionCounter();
		assertThat(calls.count()).isEqualTo(2.0 * all);
		if (durations) {
			Timer total = this.simple.get("backoff.calls.duration").tag("stop", "succeeded").timer();
			assertThat(total.count()).isEqualTo(2 * all);
			assertThat(total.totalTime(TimeUnit.NANOSECONDS)).isEqualTo(67.0 * all);
		}
	}

	private RetryPolicyBuilder policy(String name) {
		return RetryPolicy.builder(name).jitter(Jitter.none());
	}

	private Retry retry(RetryPolicy policy, MicrometerRecorders recorders, String method) {
		return Retry.builder(policy)
			.method(method)
			.time(this.time)
			.recorder(recorders.recorder(policy.name(), method))
			.listener(new RetryListener() {
			})
			.build();
	}

	/** Call what takes 10 ms and fails the given number of times. */
	private void fail(Retry retry, int failures, Exception failure) {
		AtomicInteger attempts = new AtomicInteger();
		Operation<Integer, Exception> operation = () -> {
			this.time.advance(Duration.ofMillis(10));
			if (attempts.incrementAndGet() <= failures) {
				throw failure;
			}
			return attempts.get();
		};
		if (failures < retry.policy().maxAttempts()) {
			assertThatCode(() -> retry.call(operation)).doesNotThrowAnyException();
		}
		else {
			assertThatThrownBy(() -> retry.call(operation)).isSameAs(failure);
		}
	}

	private Timer attempts(String... tags) {
		return this.simple.get("backoff.attempts").tags(tags).timer();
	}

	private List<String> scrape() {
		return this.prometheus.scrape().lines().filter((line) -> !line.startsWith("#")).toList();
	}

	/** Its meters throw when they count or record. */
	private static final class ThrowingRegistry extends SimpleMeterRegistry {

		@Override
		protected Counter newCounter(Meter.Id id) {
			return throwing(Counter.class, id);
		}

		@Override
		protected Timer newTimer(Meter.Id id, DistributionStatisticConfig config, PauseDetector pauses) {
			return throwing(Timer.class, id);
		}

		private static <M extends Meter> M throwing(Class<M> type, Meter.Id id) {
			return mock(type, (call) -> {
				if (call.getMethod().getName().equals("getId")) {
					return id;
				}
				throw new IllegalStateException(call.getMethod().getName());
			});
		}

	}

}
