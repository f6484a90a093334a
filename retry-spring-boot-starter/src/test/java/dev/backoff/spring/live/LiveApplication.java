package dev.backoff.spring.live;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AutoClose;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Tests of an application in virtual time whose configuration a centre holds. */
abstract class LiveApplication {

	final Map<String, Object> centre = new ConcurrentHashMap<>();

	@AutoClose
	final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	final VirtualTime time = new VirtualTime();

	LiveConfiguration live;

	LiveApplication(String... properties) {
		TestPropertyValues.of(properties).applyTo(this.context);
		this.context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("centre", this.centre));
	}

	/** Start with a shop. */
	final void start(Class<?>... more) {
		start((beans) -> {
			beans.registerBean(Shop.class);
			for (Class<?> bean : more) {
				beans.registerBean(bean);
			}
		});
	}

	final void start(Consumer<GenericApplicationContext> beans) {
		beans.accept(this.context);
		this.context.registerBean(SimpleMeterRegistry.class, () -> this.registry);
		this.context.registerBean(VirtualTime.class, () -> this.time);
		this.context.register(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
				BackoffObservationAutoConfiguration.class);
		this.context.refresh();
		this.live = this.context.getBean(LiveConfiguration.class);
	}

	final boolean refresh() {
		return this.live.refresh("a test");
	}

	/** Return how often the configuration has been changed, by the outcome. */
	final double changes(String outcome) {
		return this.registry.get("backoff.refresh").tag("outcome", outcome).functionCounter().count();
	}

	/** Return how long a call that fails has waited between its attempts. */
	final List<Duration> waits(Consumer<Shop> call) {
		return waits(Shop.class, call);
	}

	final <B> List<Duration> waits(Class<B> bean, Consumer<B> call) {
		return this.time
			.delaysOf(() -> assertThat(catchThrowable(() -> call.accept(this.context.getBean(bean)))).isNotNull());
	}

	final EffectiveValue value(String method, Key<?> key) {
		return this.context.getBean(BackoffMethods.class)
			.uses()
			.stream()
			.filter((use) -> use.method().equals(method))
			.map(PolicyUse::policy)
			.findFirst()
			.orElseThrow()
			.values()
			.get(key);
	}

	public static class Shop {

		private Runnable inAttempt = () -> {
		};

		public void inAttempt(Runnable inAttempt) {
			this.inAttempt = inAttempt;
		}

		private void fail() {
			this.inAttempt.run();
			throw new IllegalStateException("down");
		}

		@Backoff("orders")
		public void order() {
			fail();
		}

		@Backoff("orders")
		public void again() {
			fail();
		}

		@Backoff("mail")
		public void mail() {
			fail();
		}

		@Backoff
		public void unnamed() {
			fail();
		}

	}

}
