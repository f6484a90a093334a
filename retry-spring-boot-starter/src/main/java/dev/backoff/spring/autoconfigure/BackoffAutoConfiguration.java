package dev.backoff.spring.autoconfigure;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.Executor;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import dev.backoff.CallRegistry;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.spring.adapt.FrameworkRetries;
import dev.backoff.spring.advice.AdviceConfiguration;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.failure.BuiltInFailureClassifiers;
import dev.backoff.spring.live.ConfigurationListener;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.live.RefreshListener;
import dev.backoff.spring.otherretries.OtherRetries;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.ConfigurationUser;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.spring.safety.RetryBudgets;
import dev.backoff.time.RetryTime;

/**
 * Retry the methods that are annotated with {@code @Backoff}.
 * <p>
 * This auto-configuration follows all others, so that the classifiers of other starters
 * are asked before the built-in ones.
 *
 * @since 0.1
 */
@AutoConfiguration(after = AopAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@Import(AdviceConfiguration.class)
@ImportRuntimeHints(BackoffRuntimeHints.class)
public final class BackoffAutoConfiguration {

	/* A child context has a configuration and beans of its own. */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static BackoffPolicies backoffPolicies(ConfigurableEnvironment environment,
			ConfigurableListableBeanFactory beanFactory) {
		return new BackoffPolicies(BackoffConfiguration.of(beanFactory, environment), environment,
				beanFactory.getBeanClassLoader());
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	CallRegistry backoffCallRegistry() {
		return new CallRegistry();
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
			ObjectProvider<RetryTime> time, ObjectProvider<Clock> clock) {
		return new LiveConfiguration(policies, methods, () -> BackoffConfiguration.read(environment),
				() -> List.copyOf(beanFactory.getBeansOfType(ConfigurationUser.class, false, true).values()),
				() -> List.copyOf(beanFactory.getBeansOfType(ConfigurationListener.class, false, true).values()),
				() -> time.getIfAvailable(RetryTime::system), threads("backoff-expiry-"),
				clock.getIfUnique(Clock::systemUTC));
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	OtherRetries backoffOtherRetries(BackoffPolicies policies, ConfigurableListableBeanFactory beanFactory,
			BackoffMethods methods) {
		return new OtherRetries(policies.configuration(), beanFactory, methods);
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

	/* A view of what decides, which no other bean can replace. */
	@Bean
	CircuitBreakers backoffCircuitBreakers(OverloadSafety safety) {
		return safety.breakers();
	}

	@Bean
	RetryBudgets backoffRetryBudgets(OverloadSafety safety) {
		return safety.budgets();
	}

	/* Unordered and last, so that all other classifiers are asked before. */
	@Bean
	@ConditionalOnMissingBean
	BuiltInFailureClassifiers backoffFailureClassifiers(ConfigurableListableBeanFactory beanFactory,
			ConfigurableEnvironment environment, ObjectProvider<Clock> clock) {
		return new BuiltInFailureClassifiers(beanFactory.getBeanClassLoader(), clock.getIfUnique(Clock::systemUTC),
				ClientRedirects.mayBeFollowed(environment));
	}

}
