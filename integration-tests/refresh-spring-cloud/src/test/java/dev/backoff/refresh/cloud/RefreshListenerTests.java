package dev.backoff.refresh.cloud;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.cloud.context.scope.refresh.RefreshScopeRefreshedEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.MapPropertySource;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.live.RefreshListener;
import dev.backoff.spring.policy.BackoffPolicies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/** Spring Cloud's own event, published by hand. */
class RefreshListenerTests {

	private final Map<String, Object> centre = new HashMap<>(Map.of("backoff.policies.orders.base", "1s"));

	private final Map<String, Object> centreOfChild = new HashMap<>(Map.of("backoff.policies.orders.base", "2s"));

	@Test
	void knowsTheEventAndNoOther() {
		RefreshListener listener = new RefreshListener(() -> {
			throw new AssertionError();
		});
		assertThat(listener.supportsEventType(ResolvableType.forClass(EnvironmentChangeEvent.class))).isTrue();
		assertThat(listener.supportsEventType(ResolvableType.forClass(RefreshScopeRefreshedEvent.class))).isFalse();
		assertThatNoException().isThrownBy(() -> listener.onApplicationEvent(new RefreshScopeRefreshedEvent()));
	}

	@Test
	void doesNoHarmToWhoeverPublishes() {
		RefreshListener listener = new RefreshListener(() -> {
			throw new IllegalStateException("the application closes");
		});
		assertThatNoException().isThrownBy(() -> listener.onApplicationEvent(new EnvironmentChangeEvent(Set.of())));
	}

	@Test
	void followsTheEventsOfItsOwnContext() {
		runner(this.centre).run((parent) -> runner(this.centreOfChild).withParent(parent).run((child) -> {
			assertThat(List.of(base(parent), base(child))).containsExactly("1s", "2s");
			this.centre.put("backoff.policies.orders.base", "3s");
			this.centreOfChild.put("backoff.policies.orders.base", "4s");
			publish(parent);
			assertThat(List.of(base(parent), base(child))).containsExactly("3s", "2s");
			this.centre.put("backoff.policies.orders.base", "5s");
			publish(child);
			// Spring hands an event on to the parent, whose sources have changed too
			assertThat(List.of(base(parent), base(child))).containsExactly("5s", "4s");
		}));
	}

	private static ApplicationContextRunner runner(Map<String, Object> centre) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
			.withBean(Orders.class)
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("centre", centre)));
	}

	private static void publish(ApplicationContext context) {
		context.publishEvent(new EnvironmentChangeEvent(context, Set.of("backoff.policies.orders.base")));
	}

	private static String base(ApplicationContext context) {
		return context.getBean(BackoffPolicies.class)
			.current()
			.peek("orders")
			.orElseThrow()
			.values()
			.get(PolicyKey.BASE)
			.value();
	}

	public static class Orders {

		@Backoff("orders")
		public void place() {
		}

	}

}
