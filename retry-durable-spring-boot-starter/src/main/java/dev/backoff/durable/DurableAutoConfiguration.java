package dev.backoff.durable;

import java.util.concurrent.ConcurrentHashMap;

import com.github.kagkarlsson.scheduler.serializer.Serializer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.util.function.SingletonSupplier;

import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.time.RetryTime;

/**
 * Store the calls of durable methods and run them.
 *
 * @since 0.1
 */
@AutoConfiguration(after = BackoffAutoConfiguration.class)
@ImportRuntimeHints(DurableAutoConfiguration.Hints.class)
public final class DurableAutoConfiguration {

	@Bean
	CallJson backoffCallJson(ObjectProvider<JsonMapper> mapper) {
		return new CallJson(mapper.getIfUnique(JsonMapper::shared));
	}

	@Bean
	DurableParts backoffDurableParts(BackoffPolicies policies, BackoffMethods methods, ObjectProvider<RetryTime> time,
			CallJson json, @Qualifier("backoffCallSerializer") ObjectProvider<Serializer> rows,
			ObjectProvider<Workers> workers, ConfigurableListableBeanFactory beanFactory) {
		Serializer serializer = new CallJson.Rows(rows.getIfAvailable(() -> json));
		return new DurableParts(
				SingletonSupplier.of(() -> workers.getObject()
					.open(Store.application(policies.configuration().durable(), beanFactory), serializer))::obtain,
				SingletonSupplier.of(() -> new DurableMethods(methods, beanFactory, json))::obtain, json,
				new DurableMeters(), time.getIfAvailable(RetryTime::system));
	}

	@Bean
	Workers backoffWorkers(DurableParts parts, BackoffPolicies policies, OverloadSafety safety,
			ObjectProvider<StoredAttempts> attempts, ObjectProvider<DataSourcePoolMetadataProvider> pools) {
		return new Workers(parts, policies, safety, attempts::getObject, pools);
	}

	@Bean
	StoredAttempts backoffStoredAttempts(ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<ObservationRegistry> observations) {
		return new StoredAttempts(beanFactory,
				new DurableTraces(observations.getIfUnique(() -> ObservationRegistry.NOOP)));
	}

	@Bean
	Submissions backoffSubmissions(DurableParts parts, StoredAttempts attempts, Workers workers) {
		return new Submissions(parts, attempts.traces(), workers, ConcurrentHashMap.newKeySet());
	}

	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("dev/backoff/durable/db/*.sql");
			new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), StoredCall.class);
			hints.reflection().registerType(DurableCall.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterBinder.class)
	static class Meters {

		@Bean
		DurableMeterBinder backoffDurableMeters(DurableParts parts, Workers workers) {
			return new DurableMeterBinder(parts, workers);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(WebEndpointResponse.class)
	static class Endpoint {

		@Bean
		DurablePart backoffDurablePart(DurableParts parts, Workers workers) {
			return new DurablePart(parts, workers);
		}

	}

}
