package dev.backoff.spring.configuration;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport.ConditionAndOutcomes;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

class ConditionalOnSettingTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner();

	@ParameterizedTest
	@CsvSource({ "metrics.enabled=on, metered", "metrics.enabled=TRUE, metered", "metrics.enabled=no,",
			"metrics.enabled=perhaps, metered", "observation.enabled=yes, metered observed",
			"breakers.gateway.probes=1, metered guarded", "mode=AspectJ, metered woven", "MODE=proxy, metered" })
	void readsAKeyAsTheConfigurationDoes(String property, String beans) {
		String[] expected = (beans != null) ? beans.split(" ") : new String[0];
		this.runner.withUserConfiguration(Conditions.class)
			.withPropertyValues("backoff." + property)
			.run((context) -> assertThat(context.getBeanNamesForType(String.class))
				.containsExactlyInAnyOrder(expected));
	}

	@Test
	void isSeenInTheReportOfConditions() {
		this.runner.withConfiguration(AutoConfigurations.of(BackoffAutoConfiguration.class)).run((context) -> {
			String reported = ConditionEvaluationReport.get(context.getBeanFactory())
				.getConditionAndOutcomesBySource()
				.values()
				.stream()
				.flatMap(ConditionAndOutcomes::stream)
				.map((condition) -> condition.getOutcome().toString())
				.collect(Collectors.joining("\n"));
			assertThat(reported).contains("@ConditionalOnSetting backoff.mode is proxy");
		});
	}

	@Test
	void readsTheSourcesOnceForAllConditionsAndBeans() {
		CountedSource source = new CountedSource();
		this.runner.withInitializer((context) -> context.getEnvironment().getPropertySources().addFirst(source))
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
					BackoffObservationAutoConfiguration.class))
			.run((context) -> assertThat(source.readings).hasValue(1));
	}

	@Test
	void readsForEachContextByItself() {
		this.runner.withPropertyValues("backoff.metrics.enabled=false")
			.withUserConfiguration(Conditions.class)
			.run((parent) -> this.runner.withParent(parent)
				.withPropertyValues("backoff.metrics.enabled=on")
				.withUserConfiguration(Conditions.class)
				.run((child) -> assertThat(child.containsLocalBean("metered")).isTrue()));
	}

	@Configuration(proxyBeanMethods = false)
	static class Conditions {

		@Bean
		@ConditionalOnSetting("metrics.enabled")
		String metered() {
			return "";
		}

		@Bean
		@ConditionalOnSetting("observation.enabled")
		String observed() {
			return "";
		}

		@Bean
		@ConditionalOnSetting("breakers")
		String guarded() {
			return "";
		}

		@Bean
		@ConditionalOnSetting(value = "mode", is = "aspectj")
		String woven() {
			return "";
		}

	}

	/** Counts how often its value is read. */
	private static final class CountedSource extends MapPropertySource {

		private final AtomicInteger readings = new AtomicInteger();

		CountedSource() {
			super("counted", Map.of("backoff.policies.orders.base", "20ms"));
		}

		@Override
		public Object getProperty(String name) {
			if (name.startsWith("backoff.policies")) {
				this.readings.incrementAndGet();
			}
			return super.getProperty(name);
		}

	}

}
