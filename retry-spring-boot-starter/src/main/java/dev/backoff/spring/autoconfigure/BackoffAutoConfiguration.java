package dev.backoff.spring.autoconfigure;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.Executor;

import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.util.function.SingletonSupplier;

import dev.backoff.CallRegistry;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.spring.adapt.FrameworkRetries;
import dev.backoff.spring.advice.BackoffInterceptor;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.advice.Shutdown;
import dev.backoff.spring.advice.StartupCheck;
import dev.backoff.spring.failure.BuiltInFailureClassifiers;
import dev.backoff.spring.live.ConfigurationListener;
import dev.backoff.spring.live.Expiries;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.live.RefreshListener;
import dev.backoff.spring.otherretries.OtherRetries;
import dev.backoff.spring.otherretries.OtherRetriesLog;
import dev.backoff.spring.policy.BackoffConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.ConfigurationUser;
import dev.backoff.spring.safety.OtherBreakers;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.spring.safety.Resilience4jBreakers;
import dev.backoff.spring.safety.RetryBudgets;
import dev.backoff.time.RetryTime;

/**
 * Retry the methods that are annotated with {@code @Backoff}.
 * <p>
 * This follows all other auto-configurations, so that the classifiers of other starters
 * are asked before the built-in ones.
 *
 * @since 0.1
 */
@AutoConfiguration(after = AopAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@Import(AdviceSelector.class)
@ImportRuntimeHints(BackoffRuntimeHints.class)
public final class BackoffAutoConfiguration {

	/* A child context has a configuration and beans of its own. */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static BackoffPolicies backoffPolicies(ConfigurableEnvironment environment,
			ConfigurableListableBeanFactory beanFactory) {
		return new BackoffPolicies(BackoffConfiguration.read(environment), environment,
				beanFactory.getBeanClassLoader());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static BackoffMethods backoffMethods(BackoffPolicies policies, ConfigurableListableBeanFactory beanFactory) {
		return new BackoffMethods(policies, beanFactory);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static StartupCheck backoffStartupCheck() {
		return new StartupCheck();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static BackoffInterceptor backoffInterceptor(ObjectProvider<BackoffMethods> methods) {
		return new BackoffInterceptor(SingletonSupplier.of(methods::getObject));
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	CallRegistry backoffCallRegistry() {
		return new CallRegistry();
	}

	@Bean
	Shutdown backoffShutdown(ApplicationContext context, CallRegistry calls, BackoffPolicies policies,
			ObjectProvider<RetryTime> time) {
		return new Shutdown(context, calls, policies, () -> time.getIfAvailable(RetryTime::system));
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	OverloadSafety backoffOverloadSafety(BackoffPolicies policies, ConfigurableListableBeanFactory beanFactory) {
		return new OverloadSafety(policies.configuration(), beanFactory);
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	LiveConfiguration backoffLiveConfiguration(BackoffPolicies policies, BackoffMethods methods,
			ConfigurableEnvironment environment, ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<RetryTime> time) {
		return new LiveConfiguration(policies, methods, () -> BackoffConfiguration.read(environment),
				() -> List.copyOf(beanFactory.getBeansOfType(ConfigurationUser.class, false, true).values()),
				() -> List.copyOf(beanFactory.getBeansOfType(ConfigurationListener.class, false, true).values()),
				new Expiries(() -> time.getIfAvailable(RetryTime::system), threads("backoff-expiry-"),
						Clock.systemUTC()));
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	OtherRetries backoffOtherRetries(ConfigurableListableBeanFactory beanFactory, BackoffMethods methods) {
		return new OtherRetries(beanFactory, methods);
	}

	@Bean
	OtherRetriesLog backoffOtherRetriesLog(BackoffPolicies policies, OtherRetries retries) {
		return new OtherRetriesLog(policies.configuration(), retries);
	}

	/* One for each task: the common pool may be busy with calls that fail. */
	private static Executor threads(String prefix) {
		SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor(prefix);
		executor.setDaemon(true);
		return executor;
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	FrameworkRetries backoffFrameworkRetries(BackoffMethods methods) {
		return new FrameworkRetries(methods);
	}

	@Bean
	static RefreshListener backoffRefreshListener(ObjectProvider<LiveConfiguration> configuration) {
		return new RefreshListener(configuration::getObject);
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	CircuitBreakers backoffCircuitBreakers(OverloadSafety safety) {
		return safety.breakers();
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	RetryBudgets backoffRetryBudgets(OverloadSafety safety) {
		return safety.budgets();
	}

	/* Unordered and last, so that all other classifiers are asked before. */
	@Bean
	@ConditionalOnMissingBean
	BuiltInFailureClassifiers backoffFailureClassifiers(ConfigurableListableBeanFactory beanFactory,
			ConfigurableEnvironment environment) {
		return new BuiltInFailureClassifiers(beanFactory.getBeanClassLoader(), Clock.systemUTC(),
				ClientRedirects.mayBeFollowed(environment));
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(CircuitBreakerRegistry.class)
	static class Resilience4j {

		@Bean
		@ConditionalOnMissingBean
		OtherBreakers backoffOtherBreakers(ObjectProvider<CircuitBreakerRegistry> registry) {
			return new Resilience4jBreakers(registry::getIfUnique);
		}

	}

}
