package dev.backoff.spring.advice;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import dev.backoff.Retry;
import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.fixture.Memory;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;
import dev.backoff.spring.safety.RetryBudgets;

import static org.assertj.core.api.Assertions.assertThat;

/** A call that succeeds at once, guarded and metered, allocates what any proxy does. */
@Tag("allocation")
class AdviceAllocationTests {

	private static final dev.backoff.Operation<String, RuntimeException> CONSTANT = () -> "constant";

	private int sum = 1;

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void adviceAllocatesNothing(boolean classes) {
		runner().withPropertyValues("spring.aop.proxy-target-class=" + classes)
			.withBean("noAdvice", DefaultPointcutAdvisor.class, AdviceAllocationTests::adviceThatOnlyProceeds)
			.withBean("retried", Retried.class)
			.withBean("proxied", Proxied.class)
			.run((context) -> {
				Operation retried = (Operation) context.getBean("retried");
				Operation proxied = (Operation) context.getBean("proxied");
				assertThat(((Advised) retried).getAdvisors()).hasSameSizeAs(((Advised) proxied).getAdvisors());
				assertThat(context.getBean(CircuitBreakers.class).get("orders")).isNotNull();
				assertThat(context.getBean(RetryBudgets.class).get("orders")).isNotNull();
				long ours = allocated(retried);
				long plain = allocated(proxied);
				assertThat(plain).isPositive();
				assertThat(ours).as("bytes, beside %d of a proxy", plain).isLessThanOrEqualTo(plain);
				assertCounted(context);
			});
	}

	private static void assertCounted(ApplicationContext context) {
		assertThat(context.getBean(CircuitBreakers.class).get("orders").counts().total()).isEqualTo(Memory.MEASURED);
		assertThat(
				context.getBean(MeterRegistry.class).get("backoff.attempts").tag("outcome", "success").timer().count())
			.isEqualTo(Memory.MEASURED);
	}

	@Test
	void callsByHandAllocateNothing() {
		runner().run((context) -> {
			Retry retry = context.getBean(BackoffMethods.class).retry("orders");
			assertThat(allocated((order) -> retry.call(CONSTANT))).isZero();
			assertCounted(context);
		});
	}

	private static ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
					BackoffObservationAutoConfiguration.class))
			.withPropertyValues("backoff.policies.orders.base=100ms", "backoff.breakers.orders.window=1d")
			.withBean(MeterRegistry.class, () -> new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
	}

	private long allocated(Operation operation) {
		long bytes = Memory.allocatedBy(() -> this.sum += operation.run("order").length());
		assertThat(this.sum).isNotZero();
		return bytes;
	}

	private static DefaultPointcutAdvisor adviceThatOnlyProceeds() {
		return new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, Plainly.class),
				(MethodInterceptor) (invocation) -> invocation.proceed());
	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Plainly {

	}

	public interface Operation {

		String run(String order);

	}

	public static class Retried implements Operation {

		@Override
		@Backoff("orders")
		public String run(String order) {
			return order;
		}

	}

	public static class Proxied implements Operation {

		@Override
		@Plainly
		public String run(String order) {
			return order;
		}

	}

}
