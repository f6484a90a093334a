package dev.backoff.benchmarks.speed;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.failsafe.Failsafe;
import dev.failsafe.RetryPolicy;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Partners without annotations: alone, or behind a proxy with an advice of its own. */
final class HandMadePartners {

	private HandMadePartners() {
	}

	private static Partner proxy(int failures, MethodInterceptor ask, MethodInterceptor askLater) {
		ProxyFactory factory = new ProxyFactory(new PartnerToProxy(failures));
		factory.setProxyTargetClass(true);
		factory.addAdvisor(advisor("ask", ask));
		factory.addAdvisor(advisor("askLater", askLater));
		return (Partner) Objects.requireNonNull(factory.getProxy());
	}

	private static NameMatchMethodPointcutAdvisor advisor(String method, MethodInterceptor advice) {
		NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor(advice);
		advisor.setMappedName(method);
		return advisor;
	}

	static class PartnerToProxy extends Partner {

		PartnerToProxy(int failures) {
			super(failures);
		}

		@Override
		public String ask(String question) {
			return super.ask(question);
		}

		@Override
		public CompletableFuture<String> askLater(String question) {
			return super.askLater(question);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Plain {

		@Bean
		Partner partner(Integer failures) {
			return new Partner(failures);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Proxied {

		@Bean
		Partner partner(Integer failures) {
			return proxy(failures, (invocation) -> invocation.proceed(), (invocation) -> invocation.proceed());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Timed {

		@Bean
		Partner partner(Integer failures, MeterRegistry registry) {
			Timer timer = registry.timer("partner");
			return proxy(failures, (invocation) -> {
				long start = System.nanoTime();
				try {
					return invocation.proceed();
				}
				finally {
					timer.record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
				}
			}, (invocation) -> {
				long start = System.nanoTime();
				return later(invocation.proceed())
					.whenComplete((answer, failure) -> timer.record(System.nanoTime() - start, TimeUnit.NANOSECONDS));
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ByFailsafe {

		@Bean
		Partner partner(Integer failures) {
			var executor = Failsafe.with(RetryPolicy.builder().withMaxAttempts(4).build());
			return proxy(failures, (invocation) -> executor.get(invocation::proceed),
					(invocation) -> executor.getStageAsync(() -> later(invocation.proceed())));
		}

	}

	@SuppressWarnings("unchecked") // the answer is an object
	private static CompletableFuture<Object> later(@Nullable Object returned) {
		return (CompletableFuture<Object>) Objects.requireNonNull(returned);
	}

}
