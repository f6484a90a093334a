package dev.backoff.spring.observation;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.backoff.event.CallRecorder;
import dev.backoff.spring.configuration.ConditionalOnSetting;
import dev.backoff.spring.configuration.SettingKey;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.time.RetryTime;

/**
 * Log retries, budgets and breakers, publish their meters if there is a registry, and
 * observe calls if observation is switched on.
 *
 * @since 0.1
 */
@AutoConfiguration(afterName = { "dev.backoff.spring.autoconfigure.BackoffAutoConfiguration",
		"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
		"org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration" })
public final class BackoffObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	StopLogger backoffStopLogger(ObjectProvider<RetryTime> time, ObjectProvider<CallStatistics> statistics) {
		return new StopLogger(time.getIfAvailable(RetryTime::system), new CompletableFuture<Void>().defaultExecutor(),
				() -> statistics.getIfUnique(() -> List::of));
	}

	@Bean
	OverloadLogger backoffOverloadLogger() {
		return new OverloadLogger();
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	StoppedCalls backoffStoppedCalls(ObjectProvider<Clock> clock, BackoffPolicies policies) {
		return new StoppedCalls(clock.getIfUnique(Clock::systemUTC),
				() -> policies.configuration().get(SettingKey.ENDPOINT_MESSAGES));
	}

	/* After the nested classes, so that meters come first. */
	@Bean
	@ConditionalOnMissingBean(CallRecorder.Factory.class)
	BoundedRecorders backoffPlainRecorders() {
		return new BoundedRecorders();
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(TransactionSynchronizationManager.class)
	static class Transactions {

		@Bean
		TransactionLogger backoffTransactionLogger() {
			return new TransactionLogger();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ObservationRegistry.class)
	@ConditionalOnBean(ObservationRegistry.class)
	@ConditionalOnSetting("observation.enabled")
	static class Observations {

		/* Of several registries none is chosen. */
		@Bean
		@ConditionalOnMissingBean
		MicrometerObserver backoffObserver(ObjectProvider<ObservationRegistry> registry,
				ObjectProvider<BackoffCallConvention> calls, ObjectProvider<BackoffAttemptConvention> attempts) {
			return new MicrometerObserver(registry.getIfUnique(() -> ObservationRegistry.NOOP), calls.getIfAvailable(),
					attempts.getIfAvailable());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterRegistry.class)
	@ConditionalOnBean(MeterRegistry.class)
	@ConditionalOnSetting("metrics.enabled")
	static class Meters {

		@Bean
		@ConditionalOnMissingBean(CallRecorder.Factory.class)
		MicrometerRecorders backoffRecorders(ObjectProvider<MeterRegistry> registry, BackoffPolicies policies,
				ObjectProvider<OverloadSafety> safety) {
			return new MicrometerRecorders(registry::getIfUnique, policies.configuration().get(SettingKey.METRICS_SLO),
					policies.configuration().get(SettingKey.METRICS_DURATIONS), safety::getObject);
		}

		@Bean
		StateMeters backoffStateMeters(ObjectProvider<MeterRegistry> registry, ObjectProvider<OverloadSafety> safety,
				BackoffPolicies policies) {
			return new StateMeters(registry::getIfUnique, safety::getObject,
					() -> policies.configuration().isEnabled());
		}

		/* After all singletons exist, so that filters and common tags are in place. */
		@Bean
		@DependsOn("backoffMethods")
		SmartInitializingSingleton backoffMeterBinding(ObjectProvider<MicrometerRecorders> recorders,
				StateMeters meters) {
			return () -> {
				recorders.ifAvailable(MicrometerRecorders::bind);
				meters.bind();
			};
		}

	}

}
