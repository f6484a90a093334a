package dev.backoff.spring.autoconfigure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.test.util.ReflectionTestUtils;

import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.actuate.BackoffEndpointAutoConfiguration;
import dev.backoff.spring.safety.OverloadSafety.OtherBreakers;
import dev.backoff.spring.safety.Resilience4jBreakers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

class Resilience4jAutoConfigurationTests {

	private final CircuitBreakerRegistry registry = CircuitBreakerRegistry.of(CircuitBreakerConfig.custom()
		.slidingWindow(10, 2, CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
		.build());

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
				BackoffEndpointAutoConfiguration.class))
		.withPropertyValues("backoff.breakers.gateway.provider=resilience4j",
				"management.endpoints.web.exposure.include=backoff")
		.withBean(VirtualTime.class)
		.withBean(Orders.class);

	private final ApplicationContextRunner complete = this.runner.withBean(CircuitBreakerRegistry.class,
			() -> this.registry);

	@Test
	void usesTheBreakerOfTheApplication() {
		this.registry.circuitBreaker("gateway");
		this.complete.run((context) -> {
			assertThat(context).getBean(OtherBreakers.class).isInstanceOf(Resilience4jBreakers.class);
			Orders orders = context.getBean(Orders.class);
			assertThatIOException().isThrownBy(orders::place);
			assertThat(orders.calls()).isEqualTo(2);
			assertThat(this.registry.circuitBreaker("gateway").getState()).isEqualTo(State.OPEN);
			Object shown = ReflectionTestUtils.invokeMethod(context.getBean("backoffEndpoint"), "policies",
					new Object[] { null });
			assertThat(shown).extracting("breakers", InstanceOfAssertFactories.MAP)
				.extractingByKey("gateway")
				.extracting("provider", "state", "policies", "rejected")
				.containsExactly("resilience4j", "open", List.of("Orders.place"), null);
		});
	}

	@Test
	void endsTheStartWithTheNamesThereAreIfThereIsNoSuchBreaker() {
		this.registry.circuitBreaker("inventory");
		this.registry.circuitBreaker("payments");
		this.complete.run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis report = report(context.getStartupFailure());
			assertThat(report.getDescription()).endsWith("Invalid backoff.breakers.gateway.provider (resilience4j) at "
					+ "the property source test: names no breaker of Resilience4j, which has these: inventory, "
					+ "payments.");
			assertThat(report.getAction()).isEqualTo("Define a breaker of that name there, or remove the provider.");
		});
	}

	@Test
	void endsTheStartWithoutARegistry() {
		this.runner.run((context) -> {
			assertThat(context).hasFailed();
			assertThat(report(context.getStartupFailure()).getDescription())
				.endsWith("needs exactly one bean of the type CircuitBreakerRegistry.");
		});
	}

	@Test
	void endsTheStartWithoutTheLibrary() {
		this.runner.withClassLoader(new FilteredClassLoader("io.github.resilience4j")).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis report = report(context.getStartupFailure());
			assertThat(report.getDescription()).endsWith("needs Resilience4j, which is not there.");
			assertThat(report.getAction()).isEqualTo("Add the dependency io.github.resilience4j:resilience4j-spring-"
					+ "boot4, or remove the provider.");
		});
	}

	@Test
	void needsNothingUnlessAskedFor() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("io.github.resilience4j"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(OtherBreakers.class));
	}

	@Test
	void backsOffForTheApplicationsOwn() {
		CallPermits own = CircuitBreaker.builder("own").build();
		List<String> asked = new ArrayList<>();
		this.runner.withBean("own", OtherBreakers.class, () -> (name, awaited) -> {
			asked.add(name);
			return own;
		}).run((context) -> {
			assertThat(context).hasSingleBean(OtherBreakers.class).hasBean("own");
			assertThat(asked).containsOnly("gateway");
		});
	}

	private static FailureAnalysis report(Throwable failure) {
		FailureAnalysis report = new InvalidBackoffFailureAnalyzer().analyze(failure);
		assertThat(report).isNotNull();
		return report;
	}

	public static class Orders {

		private int calls;

		// a proxy has fields of its own
		public int calls() {
			return this.calls;
		}

		@Backoff(breaker = "gateway")
		public void place() throws IOException {
			this.calls++;
			throw new IOException("down");
		}

	}

}
