package dev.backoff.spring.actuate;

import java.io.IOException;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.Retry;
import dev.backoff.event.RetryListener;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.actuate.BackoffEndpoint.BackoffDescriptor;
import dev.backoff.spring.actuate.PolicyDescriptions.PolicyDescriptor;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;

/** The endpoint while 50,000 calls wait. */
@Tag("long")
class ManyWaitingCallsTests {

	private static final int CALLS = 50_000;

	private static final int POLICIES = 500;

	@Test
	void areCountedAndTheOldestListed() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(BackoffAutoConfiguration.class, BackoffEndpointAutoConfiguration.class))
			.withPropertyValues("management.endpoints.web.exposure.include=backoff", "backoff.defaults.budget=none")
			.withPropertyValues(IntStream.range(0, POLICIES)
				.mapToObj((policy) -> "backoff.policies." + name(policy) + ".base=1m")
				.toArray(String[]::new))
			.withBean(VirtualTime.class)
			.withBean(RetryListener.class, () -> new RetryListener() {
			})
			.run((context) -> {
				Retry retry = context.getBean(BackoffMethods.class).retry(name(POLICIES - 1));
				IOException down = new IOException("down");
				for (int call = 0; call < CALLS; call++) {
					assertThat(retry.callAsync(() -> failedFuture(down))).isNotDone();
				}
				BackoffEndpoint endpoint = context.getBean(BackoffEndpoint.class);
				Map<String, PolicyDescriptor> policies = ((BackoffDescriptor) endpoint.policies(null)).policies();
				assertThat(policies).hasSize(POLICIES);
				assertThat(policies.get(name(POLICIES - 1)).activity().waiting()).isEqualTo(CALLS);
				assertThat(policies.get(name(POLICIES - 1)).activity().oldestWaiting()).hasSize(10);
				assertThat(policies.get(name(0)).activity().waiting()).isZero();
			});
	}

	private static String name(int policy) {
		// two names are near each other only if their letters differ
		return "policy-" + Integer.toString(policy, 36)
			.chars()
			.mapToObj((letter) -> (char) letter + "xxx")
			.reduce("", String::concat);
	}

}
