package dev.backoff.spring.advice;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.resilience.annotation.ConcurrencyLimitBeanPostProcessor;

/**
 * Put {@code @ConcurrencyLimit} inside our advice, so that a call holds a permit during
 * its attempts and not while it waits. Spring puts it before the advice of an existing
 * proxy. This runs after all ordered post-processors, and so after that.
 */
final class ConcurrencyLimits implements BeanPostProcessor {

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		if (bean instanceof Advised proxy && !proxy.isFrozen()) {
			Advisor limit = null;
			for (Advisor advisor : proxy.getAdvisors()) {
				// the class of the advice is private
				if (advisor.getAdvice().getClass().getNestHost() == ConcurrencyLimitBeanPostProcessor.class) {
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

}
