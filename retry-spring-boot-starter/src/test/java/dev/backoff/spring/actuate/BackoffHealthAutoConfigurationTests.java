package dev.backoff.spring.actuate;

import java.util.List;
import java.util.Map;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import dev.backoff.breaker.CircuitBreakers;

import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.safety.OverloadSafety;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class BackoffHealthAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(BackoffAutoConfiguration.class, BackoffHealthAutoConfiguration.class));

	private final ApplicationContextRunner guarded = this.runner
		.withPropertyValues("backoff.breakers.gateway.open-for=10s");

	@Test
	void suppliesAnIndicatorForConfiguredBreakers() {
		this.guarded.run((context) -> {
			assertThat(context).hasBean("backoffBreakersHealthIndicator");
			assertThat(context.getBean(BackoffBreakersHealthIndicator.class).health().getDetails())
				.containsOnlyKeys("gateway");
		});
	}

	@Test
	void suppliesNoneWithoutABreaker() {
		this.runner
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BackoffBreakersHealthIndicator.class));
	}

	@Test
	void suppliesNoneIfSwitchedOff() {
		this.guarded.withPropertyValues("management.health.backoffbreakers.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BackoffBreakersHealthIndicator.class));
		this.guarded.withPropertyValues("management.health.defaults.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BackoffBreakersHealthIndicator.class));
	}

	@Test
	void suppliesNoneWithoutHealth() {
		this.guarded.withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("backoffBreakersHealthIndicator"));
	}

	@Test
	void showsTheBreakersThatDecide() {
		this.guarded.withBean("own", CircuitBreakers.class, () -> CircuitBreakers.of(List.of())).run((context) -> {
			context.getBean(OverloadSafety.class).breakers().get("gateway").open();
			assertThat(context.getBean(BackoffBreakersHealthIndicator.class).health().getDetails())
				.extractingByKey("gateway", InstanceOfAssertFactories.MAP)
				.containsEntry("state", "open");
			assertThatExceptionOfType(NoUniqueBeanDefinitionException.class)
				.isThrownBy(() -> context.getBean(CircuitBreakers.class))
				.withMessageContaining("own,backoffCircuitBreakers");
		});
	}

	@Test
	void showsAChildContextItsOwnBreakers() {
		this.guarded.run((parent) -> this.guarded.withParent(parent).run((child) -> {
			child.getBean(OverloadSafety.class).breakers().get("gateway").open();
			assertThat(state(child)).isEqualTo("open");
			assertThat(state(parent)).isEqualTo("closed");
		}));
	}

	private static @Nullable Object state(ApplicationContext context) {
		Map<?, ?> gateway = (Map<?, ?>) context.getBean(BackoffBreakersHealthIndicator.class)
			.health()
			.getDetails()
			.get("gateway");
		return (gateway != null) ? gateway.get("state") : null;
	}

	@Test
	void letsBreakersDecideIfAskedTo() {
		this.guarded.run((context) -> assertThat(statusWhenOpen(context)).isEqualTo(Status.UP));
		this.guarded.withPropertyValues("backoff.health.breakers=true")
			.run((context) -> assertThat(statusWhenOpen(context)).isEqualTo(Status.DOWN));
	}

	@Test
	void refusesToStartWithAnythingButYesOrNo() {
		this.guarded.withPropertyValues("backoff.health.breakers=sometimes")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Invalid backoff.health.breakers (sometimes) at the property source test: "));
	}

	private static Status statusWhenOpen(ApplicationContext context) {
		context.getBean(CircuitBreakers.class).get("gateway").open();
		return context.getBean(BackoffBreakersHealthIndicator.class).health().getStatus();
	}

}
