package dev.backoff.spring.advice;

import java.util.Objects;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.SingletonSupplier;

import dev.backoff.CallRegistry;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.ConditionalOnSetting;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.time.RetryTime;

/**
 * Find the annotated methods, check them, and advise them by proxies or by weaving.
 *
 * @since 0.1
 */
@Configuration(proxyBeanMethods = false)
public final class AdviceConfiguration {

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
	Shutdown backoffShutdown(ApplicationContext context, CallRegistry calls, BackoffPolicies policies,
			ObjectProvider<RetryTime> time) {
		return new Shutdown(context, calls, policies, () -> time.getIfAvailable(RetryTime::system));
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSetting(value = "mode", is = "proxy")
	@Import(ProxyCreator.class)
	static class Proxies {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static BackoffAdvisor backoffAdvisor(ObjectProvider<BackoffMethods> methods) {
			Supplier<BackoffMethods> known = SingletonSupplier.of(methods::getObject);
			return new BackoffAdvisor(() -> new BackoffInterceptor(known));
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static ConcurrencyLimits backoffConcurrencyLimits() {
			return new ConcurrencyLimits();
		}

	}

	/** Advise woven methods. Without the module, the check at start-up names it. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSetting(value = "mode", is = "aspectj")
	@ConditionalOnClass(name = BackoffConfiguration.WEAVING)
	static class WovenMethods {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static BeanPostProcessor backoffWovenBeans(ObjectProvider<BackoffMethods> methods, BackoffPolicies policies,
				ConfigurableListableBeanFactory beanFactory) {
			MethodInterceptor interceptor = new BackoffInterceptor(SingletonSupplier.of(methods::getObject));
			return Objects.requireNonNull(Weaving.find(beanFactory.getBeanClassLoader()))
				.open(interceptor, beanFactory, policies.configuration().isEnabled());
		}

	}

	/** Register the creator of proxies where it is missing, as in test slices. */
	static final class ProxyCreator implements ImportBeanDefinitionRegistrar {

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
		}

	}

}
