package dev.backoff.durable;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.jdbc.AutodetectJdbcCustomization;
import io.micrometer.core.instrument.binder.MeterBinder;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.time.RetryTime;

/**
 * Store the calls of durable methods and make them.
 *
 * @since 0.1
 */
@AutoConfiguration(after = BackoffAutoConfiguration.class)
public final class DurableAutoConfiguration {

	private static final String ENGINE = "com.github.kagkarlsson";

	/* Each lane would tell how it starts, and on H2 that it needs nothing special. */
	private static void quieten(LoggingSystem logging) {
		logging.setLogLevel(ENGINE, LogLevel.WARN);
		logging.setLogLevel(AutodetectJdbcCustomization.class.getName() + ".utc_warning", LogLevel.ERROR);
	}

	@Bean
	CallJson backoffCallJson(ObjectProvider<JsonMapper> mapper) {
		return new CallJson(mapper.getIfUnique(JsonMapper::shared));
	}

	@Bean
	Lanes backoffLanes(BackoffPolicies policies, BackoffMethods methods, OverloadSafety safety,
			ObjectProvider<RetryTime> time, CallJson json, ObjectProvider<Submissions> submissions,
			ConfigurableListableBeanFactory beanFactory, ObjectProvider<DataSource> dataSource,
			ObjectProvider<LoggingSystem> logging, Environment environment) {
		if (!environment.containsProperty("logging.level." + ENGINE)) {
			logging.ifAvailable(DurableAutoConfiguration::quieten);
		}
		return new Lanes(policies, safety, time.getIfAvailable(RetryTime::system), json, submissions::getObject,
				() -> new DurableMethods(methods, beanFactory), dataSource);
	}

	/** The meters, where there is Micrometer. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterBinder.class)
	static class Meters {

		@Bean
		DurableMeters.Binder backoffDurableMeters(Lanes lanes) {
			return new DurableMeters.Binder(lanes);
		}

	}

	/** The part of the endpoint, where there is Actuator. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(WebEndpointResponse.class)
	static class Endpoint {

		@Bean
		DurablePart backoffDurablePart(Lanes lanes) {
			return new DurablePart(lanes);
		}

	}

	@Bean
	Submissions backoffSubmissions(CallJson json, ObjectProvider<Lanes> lanes) {
		return new Submissions(json, lanes::getObject);
	}

}
