package dev.backoff.spring.readme;

import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;

/** The listener of docs/observation.md. */
class StopAlertsTests {

	private final CountDownLatch never = new CountDownLatch(1);

	private final BlockingQueue<String> posted = new LinkedBlockingQueue<>();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withBean(RetryTime.class, VirtualTime::new)
		.withBean(Cards.class);

	@Test
	void aHookThatHangsHoldsNoCall() {
		RestClient hook = RestClient.builder()
			.baseUrl("http://alerts")
			.requestInterceptor((request, body, execution) -> {
				this.posted.add(new String(body, StandardCharsets.UTF_8));
				try {
					this.never.await();
				}
				catch (InterruptedException ex) {
					throw new InterruptedIOException();
				}
				return execution.execute(request, body);
			})
			.build();
		this.runner.withBean(StopAlerts.class, () -> new StopAlerts(hook)).run((context) -> {
			Cards cards = context.getBean(Cards.class);
			assertThat(cards.charge("unreachable")).isEqualTo("charged later");
			assertThat(this.posted.poll(30, TimeUnit.SECONDS)).contains("Cards.charge: Stopped after 4 of 4 attempts");
			assertThat(cards.charge("unreachable")).isEqualTo("charged later");
			assertThat(this.posted).isEmpty();
		});
	}

	static class Cards {

		@Backoff(recover = "chargeLater")
		String charge(String card) {
			throw new ResourceAccessException("no route");
		}

		String chargeLater(String card) {
			return "charged later";
		}

	}

}
