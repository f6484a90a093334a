package dev.backoff.spring.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.fixture.VirtualTime;
import dev.backoff.pace.Pace;
import dev.backoff.pace.QuotaReading;
import dev.backoff.spring.actuate.PolicyDescriptions.PaceDescriptor;
import dev.backoff.spring.actuate.PolicyDescriptions.PolicyDescriptor;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.safety.OverloadSafety;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The pace of a policy, as the endpoint shows it and lets an operator end its hold. */
class PaceEndpointTests {

	private static OperatorInput input(Object... release) {
		return new OperatorInput((release.length > 0) ? Map.of("release", release[0]) : Map.of());
	}

	private static PaceDescriptor shown(BackoffEndpoint endpoint, String policy) {
		return ((PolicyDescriptor) endpoint.policy(policy, null)).pace();
	}

	@Test
	void paceIsShownAndReleased() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(BackoffAutoConfiguration.class,
					BackoffEndpointAutoConfiguration.class, EndpointAutoConfiguration.class))
			.withBean(VirtualTime.class)
			.withPropertyValues("management.endpoints.web.exposure.include=backoff",
					"backoff.policies.orders.pace=partner", "backoff.policies.plain.base=1s")
			.run((context) -> {
				BackoffEndpoint endpoint = context.getBean(BackoffEndpoint.class);
				assertThat(shown(endpoint, "orders")).as("before its first use").isNull();
				context.getBean(BackoffMethods.class).retry("orders");
				context.getBean(BackoffMethods.class).retry("plain");
				assertThat(shown(endpoint, "plain")).isNull();
				assertThat(shown(endpoint, "orders"))
					.isEqualTo(new PaceDescriptor("partner", "free", 0, 0, null, List.of(), 0));
				Pace pace = context.getBean(OverloadSafety.class).paces().of("orders");
				VirtualTime time = context.getBean(VirtualTime.class);
				pace.throttled(time.nanoTime(), Duration.ofSeconds(20).toNanos(), time.nanoTime());
				pace.keys().get("acme").enter(true, time.nanoTime());
				assertThat(shown(endpoint, "orders"))
					.isEqualTo(new PaceDescriptor("partner", "held", 20_000, 20_000, 0.9, List.of(), 1));
				assertThatExceptionOfType(InvalidBackoffException.class)
					.isThrownBy(() -> endpoint.operate("orders", "pace", input()))
					.withMessageContaining("Write {\"release\": true}.");
				assertThat(endpoint.operate("orders", "pace", input(true)).toString()).contains("pace partner", "hold",
						"20 s", "0ms");
				QuotaReading reading = new QuotaReading("requests", 100, 50, Duration.ofSeconds(30), true, true);
				pace.told(time.nanoTime(), List.of(reading));
				assertThat(shown(endpoint, "orders")).isEqualTo(new PaceDescriptor("partner", "paced",
						shown(endpoint, "orders").nextMs(), 0, 0.9, List.of(reading), 1));
				assertThat(shown(endpoint, "orders").nextMs()).isBetween(1_000.0, 1_200.0);
				assertThatExceptionOfType(BackoffEndpoint.RefusedException.class)
					.isThrownBy(() -> endpoint.operate("plain", "pace", input(true)))
					.withMessageContaining("Pace of policy plain: is not known.");
			});
	}

}
