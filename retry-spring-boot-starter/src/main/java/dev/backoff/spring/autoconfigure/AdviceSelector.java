package dev.backoff.spring.autoconfigure;

import java.util.Objects;

import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

import dev.backoff.spring.advice.BackoffAdvisor;
import dev.backoff.spring.advice.BackoffInterceptor;
import dev.backoff.spring.advice.Weaving;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;

/**
 * Select proxies or woven methods. The mode is read like all keys below {@code backoff},
 * in any spelling, and an invalid value counts as proxies.
 */
final class AdviceSelector implements ImportSelector {

	private final Environment environment;

	AdviceSelector(Environment environment) {
		this.environment = environment;
	}

	@Override
	public String[] selectImports(AnnotationMetadata metadata) {
		boolean woven = this.environment instanceof ConfigurableEnvironment configurable
				&& BackoffConfiguration.read(configurable).isWoven();
		return new String[] { (woven ? WovenMethods.class : Proxies.class).getName() };
	}

	@Configuration(proxyBeanMethods = false)
	@Import(ProxyCreatorRegistrar.class)
	static class Proxies {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static BackoffAdvisor backoffAdvisor(BackoffInterceptor interceptor) {
			return new BackoffAdvisor(interceptor);
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static BeanPostProcessor backoffConcurrencyLimits() {
			return new ConcurrencyLimits();
		}

	}

	/**
	 * Put {@code @ConcurrencyLimit} inside our advice, so that a call holds a permit
	 * during its attempts and not while it waits. Spring puts it before the advice of an
	 * existing proxy. This runs after all ordered post-processors, and so after that.
	 */
	static final class ConcurrencyLimits implements BeanPostProcessor {

		/* The class of the advice is private. */
		private static final String LIMIT = "org.springframework.resilience.annotation.ConcurrencyLimitBeanPostProcessor$";

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			if (bean instanceof Advised proxy && !proxy.isFrozen()) {
				Advisor limit = null;
				for (Advisor advisor : proxy.getAdvisors()) {
					if (isLimit(advisor)) {
						limit = advisor;
					}
					else if (advisor instanceof BackoffAdvisor && limit != null) {
						proxy.removeAdvisor(limit);
						proxy.addAdvisor(proxy.indexOf(advisor) + 1, limit);
					}
				}
			}
			return bean;
		}

		private static boolean isLimit(Advisor advisor) {
			return advisor.getClass() == DefaultPointcutAdvisor.class
					&& advisor.getAdvice().getClass().getName().startsWith(LIMIT);
		}

	}

	/** Advise woven methods. Without the module, the check at start-up names it. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = BackoffConfiguration.WEAVING)
	static class WovenMethods {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static BeanPostProcessor backoffWovenBeans(BackoffInterceptor interceptor, BackoffPolicies policies,
				ConfigurableListableBeanFactory beanFactory) {
			return Objects.requireNonNull(Weaving.find(beanFactory.getBeanClassLoader()))
				.open(interceptor, beanFactory, policies.configuration().isEnabled());
		}

	}

	/**
	 * Register the creator of proxies where it is missing: with
	 * {@code spring.aop.auto=false}, and in test slices.
	 */
	static final class ProxyCreatorRegistrar implements ImportBeanDefinitionRegistrar {

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
		}

	}

}
