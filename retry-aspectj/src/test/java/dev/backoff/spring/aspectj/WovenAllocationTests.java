package dev.backoff.spring.aspectj;

import java.util.function.UnaryOperator;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.fixture.Memory;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** A woven call that succeeds at once allocates what any proxy does. */
@Tag("weaving")
class WovenAllocationTests {

	private int sum = 1;

	@Test
	void allocatesNoMoreThanAProxy() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
					BackoffObservationAutoConfiguration.class))
			.withPropertyValues("backoff.mode=aspectj", "backoff.policies.shelf.breaker=shelf",
					"backoff.breakers.shelf.window=1d")
			.withBean(MeterRegistry.class, () -> new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))
			.withBean(Shelf.class)
			.run((context) -> {
				Shelf woven = context.getBean(Shelf.class);
				long ours = allocated(woven::take);
				assertThat(context.getBean(CircuitBreakers.class).get("shelf").counts().total())
					.isEqualTo(Memory.MEASURED);
				PlainShelf proxy = proxy();
				assertThat(ours).isLessThanOrEqualTo(allocated(proxy::take));
			});
	}

	private static PlainShelf proxy() {
		ProxyFactory factory = new ProxyFactory(new PlainShelf());
		factory.setProxyTargetClass(true);
		factory.addAdvice((MethodInterceptor) (invocation) -> invocation.proceed());
		return (PlainShelf) factory.getProxy();
	}

	private long allocated(UnaryOperator<String> call) {
		long bytes = Memory.allocatedBy(() -> this.sum += call.apply("tea").length());
		assertThat(this.sum).isNotZero();
		return bytes;
	}

	static class Shelf {

		@Backoff("shelf")
		String take(String what) {
			return what;
		}

	}

	static class PlainShelf {

		String take(String what) {
			return what;
		}

	}

}
