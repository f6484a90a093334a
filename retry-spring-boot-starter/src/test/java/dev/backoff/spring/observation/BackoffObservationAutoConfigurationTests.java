package dev.backoff.spring.observation;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MeterRegistryCustomizer;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.event.CallObserver;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.RecordingObserver;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.observation.StoppedCalls.StoppedCall;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class BackoffObservationAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
				BackoffObservationAutoConfiguration.class))
		.withBean(VirtualTime.class)
		.withBean(Orders.class);

	private final ApplicationContextRunner metered = this.runner
		.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
				SimpleMetricsExportAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class));

	@Test
	void suppliesMetersAtZeroAndALogger() {
		this.metered.run((context) -> {
			assertThat(context).hasSingleBean(MicrometerRecorders.class).hasSingleBean(StopLogger.class);
			assertThat(calls(context.getBean(MeterRegistry.class), "attempts_exhausted")).isZero();
		});
	}

	@Test
	void keepsCommonTagsThoughABeanCallsBeforeTheEndOfTheStart() {
		this.metered.withPropertyValues("backoff.breakers.gateway.open-for=10s")
			.withUserConfiguration(CommonTags.class, EarlyCaller.class)
			.run((context) -> {
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				assertThat(registry.getMeters()).filteredOn((meter) -> meter.getId().getName().startsWith("backoff."))
					.extracting((meter) -> meter.getId().getName())
					.contains("backoff.calls", "backoff.attempts", "backoff.budget.tokens", "backoff.breaker.state");
				assertThat(registry.getMeters()).filteredOn((meter) -> meter.getId().getName().startsWith("backoff."))
					.allSatisfy((meter) -> assertThat(meter.getId().getTag("region")).isEqualTo("north"));
				assertThat(registry.get("backoff.attempts").timers().stream().mapToLong(Timer::count).sum()).isOne();
			});
	}

	@Test
	void observesNothingUnlessItIsAskedTo() {
		TestObservationRegistry registry = TestObservationRegistry.create();
		this.runner.withBean(ObservationRegistry.class, () -> registry).run((context) -> {
			assertThat(context).doesNotHaveBean(CallObserver.class);
			assertThat(context.getBean(Orders.class).place("x")).isEqualTo("x");
			TestObservationRegistryAssert.assertThat(registry).doesNotHaveAnyObservation();
		});
	}

	@Test
	void observesCallsIfItIsAskedTo() {
		TestObservationRegistry registry = TestObservationRegistry.create();
		this.runner.withBean(ObservationRegistry.class, () -> registry)
			.withPropertyValues("backoff.observation.enabled=true")
			.run((context) -> {
				assertThat(context).hasSingleBean(MicrometerObserver.class);
				assertThat(context.getBean(Orders.class).place("x")).isEqualTo("x");
				TestObservationRegistryAssert.assertThat(registry)
					.hasNumberOfObservationsWithNameEqualTo("backoff.call", 1)
					.hasNumberOfObservationsWithNameEqualTo("backoff.attempt", 1);
			});
	}

	@Test
	void observesByTheApplicationsConventions() {
		TestObservationRegistry registry = TestObservationRegistry.create();
		this.runner.withBean(ObservationRegistry.class, () -> registry)
			.withBean(BackoffCallConvention.class, () -> new BackoffCallConvention() {

				@Override
				public String getName() {
					return "my.call";
				}

			})
			.withPropertyValues("backoff.observation.enabled=true")
			.run((context) -> {
				assertThat(context.getBean(Orders.class).place("x")).isEqualTo("x");
				TestObservationRegistryAssert.assertThat(registry)
					.hasNumberOfObservationsWithNameEqualTo("my.call", 1)
					.hasNumberOfObservationsWithNameEqualTo("backoff.attempt", 1);
			});
	}

	@Test
	void observesNothingWithoutARegistryOrWithSeveral() {
		this.runner.withPropertyValues("backoff.observation.enabled=true").run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(CallObserver.class);
			assertThat(context.getBean(Orders.class).place("x")).isEqualTo("x");
		});
		this.runner.withPropertyValues("backoff.observation.enabled=true")
			.withBean("one", ObservationRegistry.class, TestObservationRegistry::create)
			.withBean("two", ObservationRegistry.class, TestObservationRegistry::create)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(Orders.class).place("x")).isEqualTo("x");
			});
	}

	@Test
	void observesBesideTheApplicationsObservers() {
		RecordingObserver own = new RecordingObserver();
		RecordingObserver another = new RecordingObserver();
		TestObservationRegistry registry = TestObservationRegistry.create();
		this.runner.withBean(ObservationRegistry.class, () -> registry)
			.withBean("own", CallObserver.class, () -> own)
			.withBean("another", CallObserver.class, () -> another)
			.withPropertyValues("backoff.observation.enabled=true")
			.run((context) -> {
				assertThat(context.getBean(Orders.class).place("x")).isEqualTo("x");
				assertThat(own.lines()).hasSize(4);
				assertThat(another.lines()).isEqualTo(own.lines());
				TestObservationRegistryAssert.assertThat(registry).hasObservationWithNameEqualTo("backoff.call");
			});
	}

	@Test
	void backsOffForTheApplicationsMicrometerObserver() {
		TestObservationRegistry registry = TestObservationRegistry.create();
		MicrometerObserver own = new MicrometerObserver(registry);
		this.runner.withBean(ObservationRegistry.class, () -> registry)
			.withBean(MicrometerObserver.class, () -> own)
			.withPropertyValues("backoff.observation.enabled=true")
			.run((context) -> assertThat(context).getBean(MicrometerObserver.class).isSameAs(own));
	}

	@Test
	void reportsWhatIsNeitherOnNorOff() {
		this.runner.withBean(ObservationRegistry.class, TestObservationRegistry::create)
			.withPropertyValues("backoff.observation.enabled=sometimes")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Invalid backoff.observation.enabled (sometimes)"));
	}

	@Test
	void countsCallsWithMeters() {
		this.metered.run((context) -> assertCounted(context, MicrometerRecorders.class));
	}

	@Test
	void countsCallsWithoutMeters() {
		this.runner.run((context) -> assertCounted(context, BoundedRecorders.class));
		this.metered.withPropertyValues("backoff.metrics.enabled=false")
			.run((context) -> assertCounted(context, BoundedRecorders.class));
		this.runner.withClassLoader(new FilteredClassLoader(MeterRegistry.class))
			.run((context) -> assertCounted(context, BoundedRecorders.class));
	}

	private static void assertCounted(AssertableApplicationContext context, Class<? extends CallStatistics> type) {
		assertThat(context).hasSingleBean(CallStatistics.class).hasSingleBean(type);
		assertThat(context.getBean(Orders.class).place("x")).isEqualTo("x");
		assertThat(context.getBean(CallStatistics.class).of("Orders.place", "Orders.place"))
			.contains(new CallStatistics.MethodCalls("Orders.place", "Orders.place", Map.of(StopReason.SUCCEEDED, 1L),
					1, 0, Map.of()));
	}

	@Test
	void countsNothingBesideTheRecordersOfAnApplication() {
		CallRecorder.Factory recorders = (policy, method) -> new RecordingRecorder();
		this.runner.withBean(CallRecorder.Factory.class, () -> recorders)
			.run((context) -> assertThat(context).doesNotHaveBean(CallStatistics.class));
	}

	@Test
	void keepsStoppedCallsWithoutTheirMessages() {
		Clock noon = Clock.fixed(Instant.parse("2026-03-04T12:00:00Z"), ZoneOffset.UTC);
		this.runner.withBean(Clock.class, () -> noon).run((context) -> {
			assertThat(stopped(context)).extracting(StoppedCall::message).isNull();
			assertThat(stopped(context)).extracting(StoppedCall::time).isEqualTo(noon.instant());
		});
		this.runner.withPropertyValues("backoff.endpoint.messages=true")
			.run((context) -> assertThat(stopped(context)).extracting(StoppedCall::message).isEqualTo("down"));
	}

	private static StoppedCall stopped(AssertableApplicationContext context) {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> context.getBean(Orders.class).fail());
		return context.getBean(StoppedCalls.class).of("Orders.fail").get(0);
	}

	@Test
	void keepsStoppedCallsWhereTheApplicationSaysSo() {
		StoppedCalls own = new StoppedCalls(Clock.systemUTC(), () -> true);
		this.runner.withBean("own", StoppedCalls.class, () -> own)
			.run((context) -> assertThat(context.getBean(StoppedCalls.class)).isSameAs(own));
	}

	@Test
	void publishesNoMetersIfSwitchedOff() {
		this.metered.withPropertyValues("backoff.metrics.enabled=false").run((context) -> {
			assertThat(context).doesNotHaveBean(MicrometerRecorders.class)
				.doesNotHaveBean(StateMeters.class)
				.hasSingleBean(StopLogger.class);
			assertThat(context.getBean(Orders.class).place("x")).isEqualTo("x");
			assertThat(context.getBean(MeterRegistry.class).getMeters())
				.noneMatch((meter) -> meter.getId().getName().startsWith("backoff"));
		});
	}

	@Test
	void worksWithSeveralRegistries() {
		this.metered.withBean("second", SimpleMeterRegistry.class, SimpleMeterRegistry::new)
			.withBean("third", SimpleMeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> {
				assertThat(context.getBean(Orders.class).place("x")).isEqualTo("x");
				assertThat(calls(context.getBean("second", MeterRegistry.class), "succeeded")).isOne();
				assertThat(calls(context.getBean("third", MeterRegistry.class), "succeeded")).isOne();
			});
	}

	@Test
	void backsOffForTheApplicationsRecorders() {
		RecordingRecorder recorder = new RecordingRecorder();
		CallRecorder.Factory recorders = (policy, method) -> recorder;
		this.metered.withBean(CallRecorder.Factory.class, () -> recorders).run((context) -> {
			assertThat(context).doesNotHaveBean(MicrometerRecorders.class);
			assertThat(context.getBean(Orders.class).place("x")).isEqualTo("x");
			assertThat(recorder.lines()).containsExactly("attempt 1 success 0ms", "call succeeded 0ms");
		});
	}

	@Test
	void backsOffForTheApplicationsLogger() {
		StopLogger own = new StopLogger(RetryTime.system());
		this.runner.withBean("own", StopLogger.class, () -> own)
			.run((context) -> assertThat(context).getBean(StopLogger.class).isSameAs(own));
	}

	@Test
	void suppliesMetersAndALoggerOfBudgetsAndBreakers(CapturedOutput output) {
		this.metered.withPropertyValues("backoff.breakers.gateway.open-for=10s").run((context) -> {
			assertThat(context).hasSingleBean(StateMeters.class).hasSingleBean(OverloadLogger.class);
			context.getBean(CircuitBreakers.class).get("gateway").open();
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.get("backoff.budget.tokens").tag("budget", "Orders.place").gauge().value())
				.isEqualTo(50);
			assertThat(registry.get("backoff.breaker.transitions")
				.tags("from", "closed", "to", "open")
				.functionCounter()
				.count()).isOne();
			assertThat(output).containsOnlyOnce("Breaker gateway went from closed to open");
		});
	}

	@Test
	void givesMetersToBudgetsOfAChildContext() {
		this.metered.run((parent) -> this.runner.withParent(parent)
			.withBean("invoices", Invoices.class, Invoices::new)
			.run((context) -> assertThat(parent.getBean(MeterRegistry.class)
				.get("backoff.budget.tokens")
				.tag("budget", "Invoices.send")
				.gauge()
				.value()).isEqualTo(50)));
	}

	@Test
	void publishesNothingIfAllIsSwitchedOff() {
		this.metered.withPropertyValues("backoff.enabled=false", "backoff.breakers.gateway.open-for=10s")
			.run((context) -> assertThat(context.getBean(MeterRegistry.class).getMeters())
				.noneMatch((meter) -> meter.getId().getName().startsWith("backoff")));
	}

	@Test
	void logsWithoutMicrometer(CapturedOutput output) {
		this.runner.withClassLoader(new FilteredClassLoader("io.micrometer"))
			.withPropertyValues("backoff.breakers.gateway.open-for=10s")
			.run((context) -> {
				assertThat(context).hasNotFailed()
					.doesNotHaveBean("backoffRecorders")
					.doesNotHaveBean("backoffStateMeters")
					.hasSingleBean(StopLogger.class);
				assertThat(context.getBean(Orders.class).place("x")).isEqualTo("x");
				context.getBean(CircuitBreakers.class).get("gateway").open();
				assertThat(output).containsOnlyOnce("Breaker gateway went from closed to open");
			});
	}

	@Test
	void measuresAsConfigured() {
		this.metered.withPropertyValues("backoff.metrics.durations=true", "backoff.metrics.slo=100ms,1s")
			.run((context) -> {
				assertThat(context.getBean(Orders.class).place("x")).isEqualTo("x");
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				assertThat(registry.get("backoff.calls.duration").tag("stop", "succeeded").timer().count()).isOne();
				assertThat(registry.get("backoff.attempts").timer().takeSnapshot().histogramCounts()).hasSize(2);
			});
	}

	private static double calls(MeterRegistry registry, String stop) {
		return registry.get("backoff.calls").tag("stop", stop).tag("method", "Orders.place").functionCounter().count();
	}

	public static class Orders {

		@Backoff
		public String place(String order) {
			return order;
		}

		@Backoff
		public void fail() {
			throw new IllegalStateException("down");
		}

	}

	public static class Invoices {

		@Backoff
		public String send(String invoice) {
			return invoice;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CommonTags {

		@Bean
		MeterRegistryCustomizer<MeterRegistry> commonTags() {
			return (registry) -> registry.config().commonTags("region", "north");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyCaller {

		@Bean
		String early(Orders orders) {
			return orders.place("early");
		}

	}

}
