package dev.backoff.spring.observation;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import ch.qos.logback.classic.Level;
import com.sun.management.ThreadMXBean;
import io.micrometer.core.instrument.AbstractMeter;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.backoff.Operation;
import dev.backoff.Retry;
import dev.backoff.delay.Jitter;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.spring.policy.BackoffProperties.CallMeter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class MicrometerRecordersTests {

	private static final long MILLI = 1_000_000;

	private final HandTurnedTime time = new HandTurnedTime();

	private final MeterRegistry simple = new SimpleMeterRegistry();

	private final PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

	@Nested
	class AtTheStart {

		@Test
		void publishesAtZeroWhatAlertsAskFor() {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> prometheus);
			recorders.recorder("orders", "OrderService.place");
			assertThat(prometheus.getMeters()).isEmpty();
			recorders.bind();
			assertThat(scrape()).containsExactly(
					"backoff_attempts_seconds_count{attempt=\"1\",method=\"OrderService.place\",outcome=\"success\",policy=\"orders\"} 0",
					"backoff_attempts_seconds_sum{attempt=\"1\",method=\"OrderService.place\",outcome=\"success\",policy=\"orders\"} 0.0",
					"backoff_attempts_seconds_max{attempt=\"1\",method=\"OrderService.place\",outcome=\"success\",policy=\"orders\"} 0.0",
					"backoff_calls_seconds_count{method=\"OrderService.place\",policy=\"orders\",stop=\"attempts_exhausted\"} 0",
					"backoff_calls_seconds_sum{method=\"OrderService.place\",policy=\"orders\",stop=\"attempts_exhausted\"} 0.0",
					"backoff_calls_seconds_count{method=\"OrderService.place\",policy=\"orders\",stop=\"breaker_open\"} 0",
					"backoff_calls_seconds_sum{method=\"OrderService.place\",policy=\"orders\",stop=\"breaker_open\"} 0.0",
					"backoff_calls_seconds_count{method=\"OrderService.place\",policy=\"orders\",stop=\"budget\"} 0",
					"backoff_calls_seconds_sum{method=\"OrderService.place\",policy=\"orders\",stop=\"budget\"} 0.0",
					"backoff_calls_seconds_count{method=\"OrderService.place\",policy=\"orders\",stop=\"deadline\"} 0",
					"backoff_calls_seconds_sum{method=\"OrderService.place\",policy=\"orders\",stop=\"deadline\"} 0.0",
					"backoff_calls_seconds_count{method=\"OrderService.place\",policy=\"orders\",stop=\"succeeded\"} 0",
					"backoff_calls_seconds_sum{method=\"OrderService.place\",policy=\"orders\",stop=\"succeeded\"} 0.0",
					"backoff_waiting{policy=\"orders\"} 0.0");
		}

		@Test
		void publishesLaterRecordersWhenTheyAreMade() {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> simple);
			recorders.bind();
			recorders.recorder("orders", "late");
			assertThat(simple.get("backoff.calls").tag("stop", "budget").functionTimer().count()).isZero();
		}

		@Test
		void publishesAllWhenFirstUsedWithoutBinding() {
			new MicrometerRecorders(() -> simple).recorder("orders", "m").attempt(2, AttemptOutcome.ERROR, 1);
			assertThat(simple.get("backoff.calls").functionTimers()).hasSize(5);
			assertThat(simple.get("backoff.attempts").timers()).hasSize(2);
			assertThat(simple.get("backoff.waiting").gauge().value()).isZero();
		}

		@Test
		void bindsMoreThanOnce() {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> simple);
			recorders.recorder("orders", "m");
			recorders.bind();
			int meters = simple.getMeters().size();
			recorders.bind();
			assertThat(simple.getMeters()).hasSize(meters);
		}

		@Test
		void asksForTheRegistryLate() {
			AtomicInteger asked = new AtomicInteger();
			MicrometerRecorders recorders = new MicrometerRecorders(() -> {
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
			Retry retry = retry(policy, new MicrometerRecorders(() -> prometheus), "place");
			fail(retry, 3, new IOException("secret"));
			fail(retry, 1, new IOException("secret"));
			assertThat(scrape()).contains(
					"backoff_attempts_seconds_count{attempt=\"1\",method=\"place\",outcome=\"transient\",policy=\"orders\"} 2",
					"backoff_attempts_seconds_sum{attempt=\"1\",method=\"place\",outcome=\"transient\",policy=\"orders\"} 0.02",
					"backoff_attempts_seconds_max{attempt=\"1\",method=\"place\",outcome=\"transient\",policy=\"orders\"} 0.01",
					"backoff_attempts_seconds_count{attempt=\"2\",method=\"place\",outcome=\"success\",policy=\"orders\"} 1",
					"backoff_attempts_seconds_count{attempt=\"3\",method=\"place\",outcome=\"transient\",policy=\"orders\"} 1",
					"backoff_calls_seconds_count{method=\"place\",policy=\"orders\",stop=\"attempts_exhausted\"} 1",
					"backoff_calls_seconds_sum{method=\"place\",policy=\"orders\",stop=\"attempts_exhausted\"} 0.33",
					"backoff_calls_seconds_count{method=\"place\",policy=\"orders\",stop=\"succeeded\"} 1",
					"backoff_calls_seconds_sum{method=\"place\",policy=\"orders\",stop=\"succeeded\"} 0.12",
					"backoff_delay_seconds_count{policy=\"orders\",source=\"policy\"} 3",
					"backoff_delay_seconds_sum{policy=\"orders\",source=\"policy\"} 0.4",
					"backoff_delay_seconds_max{policy=\"orders\",source=\"policy\"} 0.2",
					"backoff_retries_total{cause=\"other\",method=\"place\",policy=\"orders\"} 3.0",
					"backoff_waiting{policy=\"orders\"} 0.0");
			assertThat(prometheus.scrape()).contains("# TYPE backoff_calls_seconds summary")
				.contains("# TYPE backoff_retries_total counter")
				.contains("# HELP backoff_waiting Calls that wait for their next attempt now")
				.doesNotContain("secret")
				.doesNotContain("backoff_calls_seconds_max");
		}

		@Test
		void attemptsBeyondTheFourthShareATag() {
			Retry retry = retry(policy("orders").maxAttempts(7).build(), new MicrometerRecorders(() -> simple), "m");
			fail(retry, 7, new IOException());
			for (String number : List.of("1", "2", "3", "4")) {
				assertThat(attempts("attempt", number, "outcome", "transient").count()).isEqualTo(1);
			}
			assertThat(attempts("attempt", "5+", "outcome", "transient").count()).isEqualTo(3);
		}

		@Test
		void countsEveryCallOnceByWhyItEnded() {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> simple);
			CallRecorder recorder = recorders.recorder("orders", "m");
			for (StopReason reason : StopReason.values()) {
				recorder.call(reason, MILLI);
			}
			for (StopReason reason : StopReason.values()) {
				FunctionTimer calls = simple.get("backoff.calls").tag("stop", reason.tag()).functionTimer();
				assertThat(calls.count()).isEqualTo(1);
				assertThat(calls.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(1);
			}
			assertThat(simple.get("backoff.calls").functionTimers()).hasSize(StopReason.values().length);
		}

		@Test
		void countsRecoveries() {
			Retry retry = retry(policy("orders").maxAttempts(1).build(), new MicrometerRecorders(() -> simple), "m");
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
			MicrometerRecorders recorders = new MicrometerRecorders(() -> simple);
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
			fail(retry(policy, new MicrometerRecorders(() -> simple), "m"), 2, new IOException());
			Timer delay = simple.get("backoff.delay").tag("source", "hint").timer();
			assertThat(delay.totalTime(TimeUnit.MILLISECONDS)).isGreaterThanOrEqualTo(2000);
			assertThat(attempts("attempt", "2", "outcome", "throttled").count()).isEqualTo(1);
			assertThat(simple.get("backoff.retries").tag("cause", "http_429").counter().count()).isEqualTo(1);
		}

		@Test
		void givesTheSameRecorderForTheSameMethod() {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> simple);
			assertThat(recorders.recorder("a", "m")).isSameAs(recorders.recorder("a", "m"))
				.isNotSameAs(recorders.recorder("b", "m"));
		}

		@Test
		void metersSurviveTheCollector() {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> simple);
			recorders.bind();
			recorders.recorder("orders", "m").call(StopReason.SUCCEEDED, MILLI);
			recorders.recorder("orders", "m").waiting(DelaySource.POLICY, MILLI);
			System.gc();
			assertThat(simple.get("backoff.waiting").gauge().value()).isEqualTo(1);
			recorders.recorder("orders", "m").call(StopReason.SUCCEEDED, MILLI);
			assertThat(simple.get("backoff.calls").tag("stop", "succeeded").functionTimer().count()).isEqualTo(2);
		}

	}

	@Nested
	class Names {

		@ParameterizedTest
		@EnumSource(CallMeter.class)
		void everyMeterIsDocumentedAndEveryDocumentedMeterIsThere(CallMeter calls) {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> simple, List.of(), calls);
			useEverything(recorders.recorder("orders", "m"));
			assertThat(simple.getMeters()).extracting((meter) -> meter.getId().getName())
				.containsOnly(EnumSet.range(BackoffMeters.ATTEMPTS, BackoffMeters.WAITING)
					.stream()
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
				assertThat(Objects.toString(meter.getId().getBaseUnit(), ""))
					.isEqualTo((documented.getType() == Meter.Type.TIMER) ? "seconds" : documented.getBaseUnit());
			}
		}

		@Test
		void scrapedNamesAreThese() {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> prometheus, List.of(), CallMeter.TIMER);
			useEverything(recorders.recorder("orders", "m"));
			Set<String> names = scrape().stream()
				.map((line) -> line.substring(0, line.indexOf('{')))
				.collect(Collectors.toCollection(TreeSet::new));
			assertThat(names).containsExactly("backoff_attempts_seconds_count", "backoff_attempts_seconds_max",
					"backoff_attempts_seconds_sum", "backoff_calls_seconds_count", "backoff_calls_seconds_max",
					"backoff_calls_seconds_sum", "backoff_delay_seconds_count", "backoff_delay_seconds_max",
					"backoff_delay_seconds_sum", "backoff_recovered_total", "backoff_retries_total", "backoff_waiting");
		}

		@Test
		void tagsNeedAsManyValuesAsKeys() {
			assertThatIllegalArgumentException().isThrownBy(() -> BackoffMeters.DELAY.tags("orders"))
				.withMessage("Invalid values (1): must be as many as keys (2).");
		}

		@Test
		void labelsMadeUpAsTheProgramGoesAreBounded() {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> simple);
			for (int i = 0; i < MicrometerRecorders.MAX_METHODS; i++) {
				recorders.recorder("orders", "label-" + i);
			}
			CallRecorder beyond = recorders.recorder("orders", "one-more");
			assertThat(recorders.recorder("orders", "another")).isSameAs(beyond);
			assertThat(recorders.recorder("orders", "label-7")).isNotSameAs(beyond);
			assertThat(recorders.recorder("another policy", "m"))
				.isSameAs(recorders.recorder("yet another policy", "m"));
			beyond.call(StopReason.BUDGET, 1);
			assertThat(simple.get("backoff.calls").tags("method", "other", "stop", "budget").functionTimer().count())
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
			}
			recorder.recovered(true);
			recorder.recovered(false);
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
					List.of(Duration.ofMillis(50), Duration.ofSeconds(1)), CallMeter.COUNTER);
			recorders.recorder("orders", "m").attempt(1, AttemptOutcome.SUCCESS, 70 * MILLI);
			String tags = "attempt=\"1\",method=\"m\",outcome=\"success\",policy=\"orders\"";
			assertThat(scrape()).contains("backoff_attempts_seconds_bucket{" + tags + ",le=\"0.05\"} 0",
					"backoff_attempts_seconds_bucket{" + tags + ",le=\"1.0\"} 1",
					"backoff_attempts_seconds_bucket{" + tags + ",le=\"+Inf\"} 1");
			assertThat(prometheus.scrape()).doesNotContain("backoff_calls_seconds_bucket").doesNotContain("quantile");
		}

		@Test
		void bucketsOfTimedCalls() {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> prometheus, List.of(Duration.ofMillis(50)),
					CallMeter.TIMER);
			recorders.bind();
			recorders.recorder("orders", "m").call(StopReason.SUCCEEDED, 70 * MILLI);
			assertThat(scrape()).contains(
					"backoff_calls_seconds_bucket{method=\"m\",policy=\"orders\",stop=\"succeeded\",le=\"+Inf\"} 1",
					"backoff_calls_seconds_max{method=\"m\",policy=\"orders\",stop=\"succeeded\"} 0.07",
					"backoff_calls_seconds_count{method=\"m\",policy=\"orders\",stop=\"deadline\"} 0");
		}

		@Test
		void timedCallsWithoutBuckets() {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> simple, List.of(), CallMeter.TIMER);
			recorders.recorder("orders", "m").call(StopReason.HINT, 70 * MILLI);
			Timer calls = simple.get("backoff.calls").tag("stop", "hint").timer();
			assertThat(calls.max(TimeUnit.MILLISECONDS)).isEqualTo(70);
			assertThat(calls.takeSnapshot().percentileValues()).isEmpty();
			assertThat(calls.takeSnapshot().histogramCounts()).isEmpty();
		}

		@Test
		void bucketsMustBeLongerThanZero() {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> new MicrometerRecorders(() -> simple, List.of(Duration.ZERO), CallMeter.COUNTER))
				.withMessage("Invalid slo (0ms): must be longer than zero.");
		}

	}

	@Nested
	class RegistryInTrouble {

		@Test
		void noRegistryMeansNoMeters() {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> null);
			recorders.bind();
			Retry retry = retry(policy("orders").build(), recorders, "m");
			fail(retry, 4, new IOException());
		}

		@Test
		void registryThatComesLateHasAllCalls() {
			AtomicReference<MeterRegistry> late = new AtomicReference<>();
			MicrometerRecorders recorders = new MicrometerRecorders(late::get);
			CallRecorder recorder = recorders.recorder("orders", "m");
			recorder.call(StopReason.SUCCEEDED, MILLI);
			late.set(simple);
			recorder.call(StopReason.SUCCEEDED, MILLI);
			assertThat(simple.getMeters()).isEmpty();
			recorders.bind();
			assertThat(simple.get("backoff.calls").tag("stop", "succeeded").functionTimer().count()).isEqualTo(2);
		}

		@Test
		void wayToTheRegistryThatThrowsIsToldOnce() {
			AtomicInteger asked = new AtomicInteger();
			try (LogCapture log = new LogCapture(MicrometerRecorders.class)) {
				MicrometerRecorders recorders = new MicrometerRecorders(() -> {
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
			assertThat(simple.get("backoff.calls").tag("stop", "attempts_exhausted").functionTimer().count())
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
			MicrometerRecorders recorders = new MicrometerRecorders(() -> simple);
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
			MeterRegistry throwing = new SimpleMeterRegistry() {

				@Override
				protected Counter newCounter(Meter.Id id) {
					return new ThrowingCounter(id);
				}

			};
			Retry retry = retry(policy("orders").maxAttempts(2).build(), new MicrometerRecorders(() -> throwing), "m");
			fail(retry, 2, new IOException());
			assertThat(throwing.get("backoff.calls").tag("stop", "attempts_exhausted").functionTimer().count())
				.isEqualTo(1);
		}

		@Test
		void compositeTellsAllItsRegistriesAndTotalsEvenThoseThatJoinLate() {
			CompositeMeterRegistry composite = new CompositeMeterRegistry();
			composite.add(simple);
			MicrometerRecorders recorders = new MicrometerRecorders(() -> composite);
			CallRecorder recorder = recorders.recorder("orders", "m");
			recorder.attempt(1, AttemptOutcome.SUCCESS, MILLI);
			recorder.call(StopReason.SUCCEEDED, MILLI);
			composite.add(prometheus);
			recorder.attempt(1, AttemptOutcome.SUCCESS, MILLI);
			recorder.call(StopReason.SUCCEEDED, MILLI);
			assertThat(attempts("attempt", "1", "outcome", "success").count()).isEqualTo(2);
			assertThat(scrape()).contains(
					"backoff_attempts_seconds_count{attempt=\"1\",method=\"m\",outcome=\"success\",policy=\"orders\"} 1",
					"backoff_calls_seconds_count{method=\"m\",policy=\"orders\",stop=\"succeeded\"} 2");
		}

		private void assertMetersAreDropped(String... names) {
			try (LogCapture log = new LogCapture(MicrometerRecorders.class)) {
				MicrometerRecorders recorders = new MicrometerRecorders(() -> simple);
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
		@EnumSource(CallMeter.class)
		void successAtOnceAllocatesNothing(CallMeter calls) {
			assertThat(allocatedByManyCalls(simple, List.of(), calls)).isZero();
			assertThat(allocatedByManyCalls(prometheus, List.of(), calls)).isZero();
		}

		@Test
		void bucketsAllocateNothingEither() {
			assertThat(allocatedByManyCalls(prometheus, List.of(Duration.ofMillis(1)), CallMeter.COUNTER)).isZero();
		}

		@Test
		void missingRegistryAllocatesNothing() {
			assertThat(allocatedByManyCalls(null, List.of(), CallMeter.COUNTER)).isZero();
		}

		private long allocatedByManyCalls(MeterRegistry registry, List<Duration> slo, CallMeter calls) {
			MicrometerRecorders recorders = new MicrometerRecorders(() -> registry, slo, calls);
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

	@Nested
	class Together {

		@ParameterizedTest
		@EnumSource(CallMeter.class)
		void everyCallOfEveryThreadCounts(CallMeter calls) throws Exception {
			int threads = 8;
			long each = 10_000;
			MicrometerRecorders recorders = new MicrometerRecorders(() -> simple, List.of(), calls);
			CountDownLatch start = new CountDownLatch(1);
			ExecutorService executor = Executors.newFixedThreadPool(threads);
			try {
				List<Future<?>> done = new ArrayList<>();
				for (int thread = 0; thread < threads; thread++) {
					done.add(executor.submit(() -> {
						start.await();
						CallRecorder recorder = recorders.recorder("orders", "m");
						for (int i = 0; i < each; i++) {
							recorder.attempt(1, AttemptOutcome.TRANSIENT, 10);
							recorder.waiting(DelaySource.POLICY, 30);
							recorder.waited();
							recorder.retry(RetryCause.IO);
							recorder.attempt(2, AttemptOutcome.SUCCESS, 20);
							recorder.call(StopReason.SUCCEEDED, 60);
							recorder.recovered(true);
						}
						return null;
					}));
				}
				start.countDown();
				for (Future<?> future : done) {
					future.get(1, TimeUnit.MINUTES);
				}
			}
			finally {
				executor.shutdownNow();
			}
			long all = threads * each;
			assertThat(attempts("attempt", "1", "outcome", "transient").count()).isEqualTo(all);
			assertThat(attempts("attempt", "2", "outcome", "success").totalTime(TimeUnit.NANOSECONDS))
				.isEqualTo(20.0 * all);
			assertThat(simple.get("backoff.retries").counter().count()).isEqualTo((double) all);
			assertThat(simple.get("backoff.recovered").counter().count()).isEqualTo((double) all);
			assertThat(simple.get("backoff.delay").timer().count()).isEqualTo(all);
			assertThat(simple.get("backoff.waiting").gauge().value()).isZero();
			if (calls == CallMeter.COUNTER) {
				FunctionTimer total = simple.get("backoff.calls").tag("stop", "succeeded").functionTimer();
				assertThat(total.count()).isEqualTo((double) all);
				assertThat(total.totalTime(TimeUnit.NANOSECONDS)).isEqualTo(60.0 * all);
			}
			else {
				assertThat(simple.get("backoff.calls").tag("stop", "succeeded").timer().count()).isEqualTo(all);
			}
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
			this.time.pass(Duration.ofMillis(10));
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

	/** Throws when it counts. */
	private static final class ThrowingCounter extends AbstractMeter implements Counter {

		ThrowingCounter(Meter.Id id) {
			super(id);
		}

		@Override
		public void increment(double amount) {
			throw new IllegalStateException("counter");
		}

		@Override
		public double count() {
			return 0;
		}

	}

}
