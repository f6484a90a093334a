package dev.backoff.spring.autoconfigure;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.client.HttpClientErrorException;

import dev.backoff.annotation.Backoff;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.advice.BackoffAdvisor;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.failure.BuiltInFailureClassifiers;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class BackoffAutoConfigurationTests {

	private static final String NOT_ELIGIBLE = "not eligible for getting processed by all BeanPostProcessors";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withPropertyValues("backoff.policies.cards.max-attempts=1")
		.withBean(VirtualTime.class);

	@Nested
	class TheBeans {

		@Test
		void areSupplied() {
			BackoffAutoConfigurationTests.this.runner
				.run((context) -> assertThat(context).hasSingleBean(BackoffPolicies.class)
					.hasSingleBean(BackoffMethods.class)
					.hasSingleBean(BackoffAdvisor.class)
					.hasSingleBean(BuiltInFailureClassifiers.class));
		}

		@Test
		void backOffForTheApplicationsOwn() {
			BackoffPolicies policies = new BackoffPolicies(BackoffConfiguration.read(new StandardEnvironment()),
					new StandardEnvironment(), null);
			BuiltInFailureClassifiers classifiers = new BuiltInFailureClassifiers(null, Clock.systemUTC(), true);
			BackoffAutoConfigurationTests.this.runner.withBean(BackoffPolicies.class, () -> policies)
				.withBean(BuiltInFailureClassifiers.class, () -> classifiers)
				.withUserConfiguration(OwnMethods.class)
				.run((context) -> {
					assertThat(context).getBean(BackoffPolicies.class).isSameAs(policies);
					assertThat(context).getBean(BuiltInFailureClassifiers.class).isSameAs(classifiers);
					assertThat(context).hasSingleBean(BackoffMethods.class).hasBean("ownMethods");
				});
		}

		@Test
		void takeTimeAndChanceFromTheApplication() {
			BackoffAutoConfigurationTests.this.runner.withBean(RandomSource.class, RandomSources::middle)
				.withBean(Orders.class)
				.run((context) -> {
					assertThatExceptionOfType(IllegalStateException.class)
						.isThrownBy(() -> context.getBean(Orders.class).place("down"));
					assertThat(context.getBean(VirtualTime.class).delays()).containsExactly(Duration.ofMillis(50),
							Duration.ofMillis(100), Duration.ofMillis(200));
				});
		}

		@Test
		void tellListenersInTheirOrder() {
			BackoffAutoConfigurationTests.this.runner.withUserConfiguration(Listeners.class)
				.withBean(Orders.class)
				.run((context) -> {
					assertThatExceptionOfType(IllegalStateException.class)
						.isThrownBy(() -> context.getBean(Orders.class).place("down"));
					assertThat(context.getBean(Asked.class).names).containsExactly("first", "second", "unordered");
				});
		}

	}

	@Nested
	class Classifiers {

		private final ApplicationContextRunner runner = BackoffAutoConfigurationTests.this.runner.withBean(Asked.class)
			.withBean(Orders.class);

		@Test
		void areBuiltIn() {
			this.runner.run((context) -> {
				assertThatExceptionOfType(HttpClientErrorException.class)
					.isThrownBy(context.getBean(Orders.class)::refused);
				assertThat(context.getBean(VirtualTime.class).delays()).isEmpty();
			});
		}

		@Test
		void ofTheApplicationAreAskedBeforeTheBuiltInEvenIfUnordered() {
			this.runner.withBean("transientRefusal", FailureClassifier.class, () -> Classifiers::saysTransient)
				.run((context) -> {
					assertThatExceptionOfType(HttpClientErrorException.class)
						.isThrownBy(context.getBean(Orders.class)::refused);
					assertThat(context.getBean(VirtualTime.class).delays()).hasSize(3);
				});
		}

		@Test
		void ofOtherStartersAreAskedBeforeTheBuiltIn() {
			this.runner.withConfiguration(AutoConfigurations.of(ZuluStarterAutoConfiguration.class)).run((context) -> {
				assertThatExceptionOfType(HttpClientErrorException.class)
					.isThrownBy(context.getBean(Orders.class)::refused);
				assertThat(context.getBean(VirtualTime.class).delays()).hasSize(3);
			});
		}

		@Test
		void areAskedInTheirOrderAndAPolicysOwnFirstAndForItOnly() {
			this.runner.withUserConfiguration(Named.class)
				.withPropertyValues("backoff.policies.later.classifier=own", "backoff.policies.later.max-attempts=1")
				.run((context) -> {
					List<String> asked = context.getBean(Asked.class).names;
					assertThatExceptionOfType(IllegalStateException.class)
						.isThrownBy(() -> context.getBean(Orders.class).byCard());
					assertThat(asked).containsExactly("first", "second", "unordered");
					asked.clear();
					assertThatExceptionOfType(IllegalStateException.class)
						.isThrownBy(() -> context.getBean(BackoffMethods.class).retry("later").call(() -> {
							throw new IllegalStateException("down");
						}));
					assertThat(asked).containsExactly("own", "first", "second", "unordered");
				});
		}

		@ParameterizedTest
		@ValueSource(strings = { "none", "None" })
		void areNotAskedWhereAPolicyHasNone(String none) {
			this.runner.withUserConfiguration(Named.class)
				.withPropertyValues("backoff.defaults.classifier=" + none, "backoff.policies.cards.classifier=own")
				.run((context) -> {
					List<String> asked = context.getBean(Asked.class).names;
					assertThatExceptionOfType(HttpClientErrorException.class)
						.isThrownBy(context.getBean(Orders.class)::refused);
					assertThat(asked).isEmpty();
					assertThat(context.getBean(VirtualTime.class).delays()).hasSize(3);
					assertThatExceptionOfType(IllegalStateException.class)
						.isThrownBy(() -> context.getBean(Orders.class).byCard());
					assertThat(asked).startsWith("own", "first", "second", "unordered");
				});
		}

		private static @Nullable FailureClassification saysTransient(Throwable failure) {
			return FailureClassification.transientFailure(RetryCause.OTHER);
		}

	}

	@Nested
	class OtherBeans {

		@Test
		void areAllProcessedInABusyApplication(CapturedOutput output) {
			BackoffAutoConfigurationTests.this.runner
				.withConfiguration(AutoConfigurations.of(BackoffObservationAutoConfiguration.class,
						MetricsAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class,
						CompositeMeterRegistryAutoConfiguration.class))
				.withUserConfiguration(Listeners.class, Named.class, Busy.class)
				.run((context) -> {
					assertThat(AopUtils.isAopProxy(context.getBean(BusyService.class))).isTrue();
					assertThat(output).doesNotContain(NOT_ELIGIBLE);
				});
		}

		@Test
		void wouldBeReportedIfTheyWereNot(CapturedOutput output) {
			BackoffAutoConfigurationTests.this.runner.withUserConfiguration(TooEarly.class)
				.run((context) -> assertThat(output).contains(NOT_ELIGIBLE));
		}

	}

	static final class Asked {

		final List<String> names = new CopyOnWriteArrayList<>();

	}

	public static class Orders {

		@Backoff
		public void place(String message) {
			throw new IllegalStateException(message);
		}

		@Backoff("cards")
		public void byCard() {
			throw new IllegalStateException("card");
		}

		@Backoff
		public void refused() {
			throw HttpClientErrorException.create(HttpStatus.BAD_REQUEST, "no", null, null, null);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnMethods {

		@Bean
		static BackoffMethods ownMethods(BackoffPolicies policies, ConfigurableListableBeanFactory beanFactory) {
			return new BackoffMethods(policies, beanFactory);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Asked.class)
	static class Listeners {

		@Bean
		RetryListener unorderedListener(Asked asked) {
			return listener(asked, "unordered");
		}

		@Bean
		@Order(2)
		RetryListener secondListener(Asked asked) {
			return listener(asked, "second");
		}

		@Bean
		@Order(Ordered.HIGHEST_PRECEDENCE)
		RetryListener firstListener(Asked asked) {
			return listener(asked, "first");
		}

		private static RetryListener listener(Asked asked, String name) {
			return new RetryListener() {

				@Override
				public void onStop(RetryEvent.Stopped event) {
					asked.names.add(name);
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Named {

		@Bean
		FailureClassifier own(Asked asked) {
			return (failure) -> silent(asked, "own");
		}

		@Bean
		FailureClassifier unordered(Asked asked) {
			return (failure) -> silent(asked, "unordered");
		}

		@Bean
		@Order(2)
		FailureClassifier second(Asked asked) {
			return (failure) -> silent(asked, "second");
		}

		@Bean
		@Order(1)
		FailureClassifier first(Asked asked) {
			return (failure) -> silent(asked, "first");
		}

		private static @Nullable FailureClassification silent(Asked asked, String name) {
			asked.names.add(name);
			return null;
		}

	}

	/** Its name comes after ours. */
	@AutoConfiguration
	static class ZuluStarterAutoConfiguration {

		@Bean
		FailureClassifier zulu() {
			return Classifiers::saysTransient;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@EnableCaching
	@EnableTransactionManagement
	@Import(BusyService.class)
	static class Busy {

		@Bean
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().generateUniqueName(true).setType(EmbeddedDatabaseType.H2).build();
		}

		@Bean
		DataSourceTransactionManager transactions(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource);
		}

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

	public static class BusyService {

		@Async
		@Backoff
		@Transactional
		@Cacheable("busy")
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TooEarly {

		@Bean
		String needed() {
			return "needed";
		}

		@Bean
		static BeanPostProcessor early(String needed) {
			return new BeanPostProcessor() {
			};
		}

	}

}
