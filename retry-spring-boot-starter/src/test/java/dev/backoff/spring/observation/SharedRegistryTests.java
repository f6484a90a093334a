package dev.backoff.spring.observation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.safety.RetryBudgets;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;

/** Two application contexts and one registry, which is their parent's. */
class SharedRegistryTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final GenericApplicationContext parent = new GenericApplicationContext();

	private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

	@BeforeEach
	void startBoth() {
		this.parent.registerBean(MeterRegistry.class, () -> this.registry);
		this.parent.refresh();
		start(2);
	}

	private void start(int number) {
		for (int i = 0; i < number; i++) {
			ConfigurableApplicationContext context = new SpringApplicationBuilder(Shop.class).parent(this.parent)
				.web(WebApplicationType.NONE)
				.properties("spring.main.banner-mode=off", "backoff.policies.orders.base=1h",
						"backoff.policies.orders.cap=1h", "backoff.policies.orders.breaker=gateway",
						"backoff.breakers.gateway.open-for=1m")
				.run();
			this.contexts.add(context);
			call(context);
		}
	}

	private static void call(ConfigurableApplicationContext context) {
		assertThat(context.getBean(BackoffMethods.class).retry("orders").callAsync(() -> completedFuture("done")))
			.isDone();
	}

	private static void wait(ConfigurableApplicationContext context) {
		assertThat(context.getBean(BackoffMethods.class)
			.retry("orders")
			.callAsync(() -> failedFuture(new IOException("down")))).isNotDone();
	}

	private static CircuitBreaker breaker(ConfigurableApplicationContext context) {
		return context.getBean(CircuitBreakers.class).get("gateway");
	}

	@AfterEach
	void end() {
		this.contexts.forEach(ConfigurableApplicationContext::close);
		this.parent.close();
	}

	private double gauge(String name, String... tags) {
		return this.registry.get(name).tags(tags).gauge().value();
	}

	private double count(String name, String... tags) {
		return this.registry.get(name).tags(tags).functionCounter().count();
	}

	@Test
	void sumTheirBalancesAndCounts() {
		wait(this.contexts.get(0));
		wait(this.contexts.get(1));
		wait(this.contexts.get(1));
		assertThat(gauge("backoff.waiting", "policy", "orders")).isEqualTo(3);
		// each waiting call has taken one token
		assertThat(gauge("backoff.budget.tokens", "budget", "orders")).isEqualTo(97);
		assertThat(this.contexts.get(1).getBean(RetryBudgets.class).get("orders").tryWithdraw()).isTrue();
		assertThat(gauge("backoff.budget.tokens", "budget", "orders")).isEqualTo(96);
		assertThat(count("backoff.calls", "policy", "orders", "stop", "succeeded")).isEqualTo(2);
		for (ConfigurableApplicationContext context : this.contexts) {
			context.getBean(LiveConfiguration.class).override("orders", Map.of("base", "2s"), null);
		}
		assertThat(gauge("backoff.overrides", "policy", "orders")).isEqualTo(2);
		assertThat(count("backoff.refresh", "outcome", "overridden")).isEqualTo(2);
	}

	@Test
	void showAStateThatAnyOfThemHas() {
		breaker(this.contexts.get(1)).open();
		assertThat(gauge("backoff.breaker.state", "state", "open")).isOne();
		assertThat(gauge("backoff.breaker.state", "state", "closed")).isOne();
		assertThat(gauge("backoff.breaker.state", "state", "half_open")).isZero();
		breaker(this.contexts.get(0)).open();
		assertThat(gauge("backoff.breaker.state", "state", "open")).isOne();
		assertThat(gauge("backoff.breaker.state", "state", "closed")).isZero();
		assertThat(count("backoff.breaker.transitions", "from", "closed", "to", "open")).isEqualTo(2);
	}

	@Test
	void keepTheirGaugesUntilTheLastOfThemIsClosed() {
		wait(this.contexts.get(0));
		wait(this.contexts.get(1));
		breaker(this.contexts.get(1)).open();
		this.contexts.remove(0).close();
		System.gc();
		assertThat(gauge("backoff.waiting", "policy", "orders")).isOne();
		assertThat(gauge("backoff.budget.tokens", "budget", "orders")).isEqualTo(49);
		assertThat(gauge("backoff.breaker.state", "state", "open")).isOne();
		assertThat(gauge("backoff.breaker.state", "state", "closed")).isZero();
		breaker(this.contexts.get(0)).reset();
		call(this.contexts.get(0));
		assertThat(count("backoff.calls", "policy", "orders", "stop", "succeeded")).isEqualTo(3);
		this.contexts.remove(0).close();
		assertThat(this.registry.getMeters()).extracting((meter) -> meter.getId())
			.filteredOn((id) -> id.getName().startsWith("backoff."))
			.isNotEmpty()
			.noneMatch((id) -> id.getType() == Meter.Type.GAUGE);
		assertThat(count("backoff.calls", "policy", "orders", "stop", "succeeded")).isEqualTo(3);
	}

	@Test
	void startAnewAfterTheLastOfThem() {
		this.contexts.forEach(ConfigurableApplicationContext::close);
		this.contexts.clear();
		start(1);
		wait(this.contexts.get(0));
		assertThat(gauge("backoff.waiting", "policy", "orders")).isOne();
		assertThat(gauge("backoff.budget.tokens", "budget", "orders")).isEqualTo(49);
		assertThat(count("backoff.calls", "policy", "orders", "stop", "succeeded")).isEqualTo(3);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ BackoffAutoConfiguration.class, BackoffObservationAutoConfiguration.class })
	static class Shop {

		@Bean
		VirtualTime time() {
			return new VirtualTime();
		}

	}

}
