package dev.backoff.spring.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.pace.Pace;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.safety.OverloadSafety;

import static org.assertj.core.api.Assertions.assertThat;

/** The keys of a policy, as {@code GET .../orders/keys} shows them. */
class KeysPartTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(BackoffAutoConfiguration.class, BackoffEndpointAutoConfiguration.class,
				EndpointAutoConfiguration.class))
		.withPropertyValues("management.endpoints.web.exposure.include=backoff", "backoff.breakers.orders.open-for=1m",
				"backoff.policies.orders.pace=partner", "backoff.policies.plain.base=1s")
		.withBean(VirtualTime.class);

	private static void fail(CircuitBreaker breaker, long now, int times) {
		IntStream.range(0, times).forEach((i) -> breaker.tryAcquire(now).failed(1, now, null));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void showsTheTwentyWorstAndTheirTextsOnlyIfAllowed(boolean named) {
		this.runner.withPropertyValues("backoff.endpoint.messages=" + named).run((context) -> {
			CircuitBreaker breaker = context.getBean(CircuitBreakers.class).get("orders");
			long now = context.getBean(VirtualTime.class).nanoTime();
			IntStream.range(0, 30).forEach((key) -> fail(breaker.ofKey("fine " + key), now, 0));
			fail(breaker.ofKey("failing"), now, 3);
			breaker.ofKey("open").open();
			context.getBean(BackoffMethods.class).retry("orders");
			Pace held = context.getBean(OverloadSafety.class).paces().of("orders").keys().get("held");
			held.throttled(now, Duration.ofSeconds(20).toNanos(), now);
			held.enter(true, now);
			BackoffEndpoint endpoint = context.getBean(BackoffEndpoint.class);
			KeysPart.KeysDescriptor shown = (KeysPart.KeysDescriptor) endpoint.part("orders", "keys",
					new OperatorInput(Map.of()));
			assertThat(shown.keys()).isEqualTo(33);
			assertThat(endpoint.part("breakers", "orders", new OperatorInput(Map.of()))).asString()
				.contains("openKeys=1,");
			assertThat(shown.worst()).hasSize(20)
				.startsWith(new KeysPart.KeyDescriptor(named ? "open" : null, "open", 0, 0, 0),
						new KeysPart.KeyDescriptor(named ? "held" : null, "closed", 0, 20_000, 1),
						new KeysPart.KeyDescriptor(named ? "failing" : null, "closed", 3, 0, 0));
			assertThat(shown.toString().contains("fine")).isEqualTo(named);
			assertThat(endpoint.part("plain", "keys", new OperatorInput(Map.of())))
				.isEqualTo(new KeysPart.KeysDescriptor(0, List.of()));
		});
	}

}
