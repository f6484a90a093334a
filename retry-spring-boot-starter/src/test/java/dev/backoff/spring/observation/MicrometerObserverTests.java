package dev.backoff.spring.observation;

import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.OutboundRequest;
import dev.backoff.Retry;
import dev.backoff.delay.Jitter;
import dev.backoff.event.CallObserver;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.mockito.Mockito.mock;

class MicrometerObserverTests {

	private final TestObservationRegistry registry = TestObservationRegistry.create();

	private final VirtualTime time = new VirtualTime();

	private final RecordingListener listener = new RecordingListener();

	private final StoppedObservations stopped = new StoppedObservations();

	private int failures;

	@BeforeEach
	void keepWhatStops() {
		this.registry.observationConfig().observationHandler(this.stopped);
	}

	@AfterEach
	void leavesNothingOpen() {
		assertThat(this.registry.getCurrentObservationScope()).isNull();
		assertThat(Span.current().getSpanContext().isValid()).isFalse();
	}

	private Retry retry(CallObserver observer) {
		return Retry.builder(RetryPolicy.builder("orders").jitter(Jitter.none()).maxAttempts(3).build())
			.method("OrderService.place")
			.time(this.time)
			.executor(Runnable::run)
			.listener(this.listener)
			.observer(observer)
			.build();
	}

	private String place(String order) throws IOException {
		OutboundRequest.begin("GET", URI.create("http://pay.example:81/orders"));
		if (this.failures-- > 0) {
			throw new IOException("secret of " + order);
		}
		return order;
	}

	private String call(CallObserver observer) throws IOException {
		return retry(observer).call(() -> place("order-17"));
	}

	@Nested
	class Observations {

		@Test
		void areOneOfTheCallAndOneOfEachAttempt() throws IOException {
			failures = 2;
			call(new MicrometerObserver(MicrometerObserverTests.this.registry));
			TestObservationRegistryAssert.assertThat(MicrometerObserverTests.this.registry)
				.hasNumberOfObservationsWithNameEqualTo("backoff.call", 1)
				.hasNumberOfObservationsWithNameEqualTo("backoff.attempt", 3)
				.hasObservationWithNameEqualTo("backoff.call")
				.that()
				.hasBeenStarted()
				.hasBeenStopped()
				.hasContextualNameEqualTo("OrderService.place call")
				.hasLowCardinalityKeyValue("backoff.policy", "orders")
				.hasLowCardinalityKeyValue("backoff.method", "OrderService.place")
				.hasLowCardinalityKeyValue("backoff.stop", "succeeded")
				.hasLowCardinalityKeyValue("backoff.recover", "none")
				.hasHighCardinalityKeyValue("backoff.attempts", "3")
				.hasHighCardinalityKeyValue("backoff.delay_total_ms", "300")
				.doesNotHaveError();
		}

		@Test
		void haveExactlyTheKeysOfTheirDocumentation() {
			failures = 3;
			assertThatIOException()
				.isThrownBy(() -> call(new MicrometerObserver(MicrometerObserverTests.this.registry)));
			assertThat(stopped.named("backoff.call")).hasSize(1)
				.last()
				.satisfies((call) -> assertThat(keys(call)).isEqualTo(names(BackoffObservations.CALL)));
			assertThat(stopped.named("backoff.call").get(0).getHighCardinalityKeyValue("backoff.host").getValue())
				.isEqualTo("pay.example:81");
			assertThat(stopped.named("backoff.attempt")).hasSize(3)
				.last()
				.satisfies((attempt) -> assertThat(keys(attempt)).isEqualTo(names(BackoffObservations.ATTEMPT)));
		}

		private static List<String> keys(Observation.Context context) {
			return context.getAllKeyValues().stream().map(KeyValue::getKey).sorted().toList();
		}

		private static List<String> names(BackoffObservations documented) {
			return Stream.of(documented.getLowCardinalityKeyNames(), documented.getHighCardinalityKeyNames())
				.flatMap(Arrays::stream)
				.map(KeyName::asString)
				.sorted()
				.toList();
		}

		@Test
		void showNoArgumentAndNoMessage() {
			failures = 3;
			assertThatExceptionOfType(IOException.class)
				.isThrownBy(() -> call(new MicrometerObserver(MicrometerObserverTests.this.registry)));
			assertThat(stopped.all()).hasSize(4)
				.allSatisfy((context) -> assertThat(context.getAllKeyValues()).extracting(KeyValue::getValue)
					.noneMatch((value) -> value.contains("secret") || value.contains("order-17")));
		}

		@Test
		void becomeTimersThatCollideWithNoOther() throws IOException {
			MeterRegistry meters = new SimpleMeterRegistry();
			MicrometerObserverTests.this.registry.observationConfig()
				.observationHandler(new DefaultMeterObservationHandler(meters));
			MicrometerRecorders recorders = new MicrometerRecorders(() -> meters, List.of(), false, () -> null);
			failures = 1;
			Retry.builder(RetryPolicy.builder("orders").build())
				.time(time)
				.recorder(recorders.recorder("orders", "orders"))
				.observer(new MicrometerObserver(MicrometerObserverTests.this.registry))
				.build()
				.call(() -> place("order-17"));
			assertThat(meters.get("backoff.call").tag("backoff.stop", "succeeded").timer().count()).isOne();
			assertThat(meters.get("backoff.call.wait").counter().count()).isOne();
			assertThat(meters.get("backoff.attempt").timers()).hasSize(2);
			assertThat(meters.get("backoff.attempt").tag("error", "IOException").timer().count()).isOne();
			assertThat(meters.get("backoff.attempts").timers().stream().mapToLong(Timer::count).sum()).isEqualTo(2);
			assertThat(meters.getMeters()).extracting(Meter::getId)
				.flatExtracting(Meter.Id::getTags)
				.extracting(Tag::getValue)
				.noneMatch((value) -> value.contains("secret"));
		}

		@Test
		void areNamedByTheApplication() throws IOException {
			call(new MicrometerObserver(MicrometerObserverTests.this.registry, new BackoffCallConvention() {

				@Override
				public String getName() {
					return "my.call";
				}

			}, new BackoffAttemptConvention() {

				@Override
				public KeyValues getLowCardinalityKeyValues(BackoffAttemptContext context) {
					return BackoffAttemptConvention.super.getLowCardinalityKeyValues(context).and("number",
							(context.number() == 1) ? "first" : "later");
				}

			}));
			TestObservationRegistryAssert.assertThat(MicrometerObserverTests.this.registry)
				.hasObservationWithNameEqualTo("my.call")
				.that()
				.hasBeenStopped()
				.backToTestObservationRegistry()
				.hasObservationWithNameEqualTo("backoff.attempt")
				.that()
				.hasLowCardinalityKeyValue("number", "first");
		}

		@Test
		void areNamedByTheRegistry() throws IOException {
			MicrometerObserverTests.this.registry.observationConfig().observationConvention(new GlobalCalls());
			call(new MicrometerObserver(MicrometerObserverTests.this.registry));
			TestObservationRegistryAssert.assertThat(MicrometerObserverTests.this.registry)
				.hasObservationWithNameEqualTo("global.call");
		}

		@Test
		void areNotMadeWithoutHandlers() throws IOException {
			MicrometerObserver observer = new MicrometerObserver(ObservationRegistry.create());
			assertThat(observer.callBegins("orders", "OrderService.place")).isNull();
			assertThat(call(observer)).isEqualTo("order-17");
		}

		@ParameterizedTest
		@ValueSource(strings = { "backoff.call", "backoff.attempt", "backoff" })
		void canBeRefused(String prefix) throws IOException {
			MicrometerObserverTests.this.registry.observationConfig()
				.observationPredicate((name, context) -> !name.startsWith(prefix));
			failures = 1;
			Observation outer = Observation.start("outer", MicrometerObserverTests.this.registry);
			try (Observation.Scope scope = outer.openScope()) {
				retry(new MicrometerObserver(MicrometerObserverTests.this.registry)).call(() -> {
					Observation.start("work", MicrometerObserverTests.this.registry).stop();
					return place("order-17");
				});
				assertThat(MicrometerObserverTests.this.registry.getCurrentObservationScope()).isSameAs(scope);
			}
			outer.stop();
			String above = switch (prefix) {
				case "backoff.call" -> "backoff.attempt";
				case "backoff.attempt" -> "backoff.call";
				default -> "outer";
			};
			assertThat(stopped.named("work")).hasSize(2)
				.allSatisfy(
						(work) -> assertThat(work.getParentObservation().getContextView().getName()).isEqualTo(above));
			assertThat(listener.hookFailures()).isEmpty();
		}

		/** Names calls for the whole application. */
		private static final class GlobalCalls implements GlobalObservationConvention<BackoffCallContext> {

			@Override
			public String getName() {
				return "global.call";
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return context instanceof BackoffCallContext;
			}

		}

	}

	/** Beside a tracer, before it or after it in the order of handlers. */
	@Nested
	class AHandlerThatThrows {

		private final SdkTracerProvider tracers = SdkTracerProvider.builder().build();

		private final DefaultTracingObservationHandler tracing = new DefaultTracingObservationHandler(
				new OtelTracer(this.tracers.get("test"), new OtelCurrentTraceContext(), (event) -> {
				}));

		@AfterEach
		void close() {
			this.tracers.close();
		}

		@ParameterizedTest
		@ValueSource(strings = { "onStart", "onEvent", "onError", "onScopeOpened", "onScopeClosed", "onStop" })
		void failsNoCallAndLeavesNoScope(String moment) throws Exception {
			for (boolean first : new boolean[] { true, false }) {
				ObservationRegistry registry = ObservationRegistry.create();
				ObservationHandler<?> hostile = hostile(moment);
				registry.observationConfig()
					.observationHandler(first ? hostile : this.tracing)
					.observationHandler(first ? this.tracing : hostile);
				Observation outer = Observation.start("outer", registry);
				try (Observation.Scope scope = outer.openScope()) {
					Span around = Span.current();
					callAndBeCalled(registry);
					assertThat(registry.getCurrentObservationScope()).isSameAs(scope);
					assertThat(Span.current()).isSameAs(around);
				}
				outer.stop();
				assertThat(Span.current().getSpanContext().isValid()).isFalse();
				assertThat(listener.hookFailures())
					.allSatisfy((event) -> assertThat(event.hook()).isEqualTo("observer"))
					.isNotEmpty();
				callAndBeCalled(registry);
				leavesNothingOpen();
			}
		}

		private void callAndBeCalled(ObservationRegistry registry) throws Exception {
			MicrometerObserver observer = new MicrometerObserver(registry);
			failures = 2;
			assertThat(call(observer)).isEqualTo("order-17");
			failures = 2;
			CompletableFuture<String> later = retry(observer)
				.callAsync(() -> CompletableFuture.completedFuture(place("order-17")));
			time.runAll();
			assertThat(later.get(60, TimeUnit.SECONDS)).isEqualTo("order-17");
		}

		/** Throws at one moment of what is ours. */
		private static ObservationHandler<?> hostile(String moment) {
			return mock(ObservationHandler.class, (call) -> {
				if (call.getMethod().getName().equals(moment)) {
					throw new IllegalStateException("handler");
				}
				Object context = call.getArguments()[0];
				return call.getMethod().getName().equals("supportsContext")
						? context instanceof BackoffCallContext || context instanceof BackoffAttemptContext : null;
			});
		}

	}

	/** What goes along in a Reactor context. */
	@Nested
	class Carried {

		private final MicrometerObserver observer = new MicrometerObserver(MicrometerObserverTests.this.registry);

		@Test
		void isOpenedElsewhereAndHidden() {
			Observation carried = Observation.start("carried", MicrometerObserverTests.this.registry);
			CallObserver.Scope opened = this.observer.open(carried);
			assertThat(this.observer.current()).isSameAs(carried);
			CallObserver.Scope again = this.observer.open(carried);
			CallObserver.Scope hidden = this.observer.open(null);
			assertThat(this.observer.current()).isNotSameAs(carried);
			hidden.close();
			again.close();
			assertThat(this.observer.current()).isSameAs(carried);
			opened.close();
			assertThat(this.observer.current()).isNull();
			carried.stop();
		}

		@Test
		void isNothingWhereNothingIsOpen() {
			assertThat(this.observer.current()).isNull();
			this.observer.open(null).close();
			assertThat(this.observer.current()).isNull();
			assertThat(this.observer.key()).isEqualTo("micrometer.observation");
		}

	}

}
