package dev.backoff.spring.readme;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;

/** The listeners of docs/observation.md and docs/ecommerce.zh-CN.md. */
class StopAlertsTests {

	private final Semaphore never = new Semaphore(0);

	private final ExecutorService threads = Executors.newSingleThreadExecutor();

	private final BlockingQueue<String> posted = new LinkedBlockingQueue<>();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withBean(RetryTime.class, VirtualTime::new)
		.withBean(Cards.class);

	@AfterEach
	void endTheHook() {
		this.never.release();
		this.threads.shutdown();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aHookThatHangsHoldsNoCall(boolean ofAGroup) {
		RestClient hook = RestClient.builder()
			.baseUrl("http://alerts")
			.requestInterceptor((request, body, execution) -> {
				this.posted.add(new String(body, StandardCharsets.UTF_8));
				this.never.acquireUninterruptibly();
				throw new IOException();
			})
			.build();
		RetryListener alerts = ofAGroup ? new GroupAlerts(hook, this.threads) : new StopAlerts(hook);
		this.runner.withBean(RetryListener.class, () -> alerts).run((context) -> {
			Cards cards = context.getBean(Cards.class);
			assertThat(cards.charge("unreachable")).isEqualTo("charged later");
			assertThat(this.posted.poll(30, TimeUnit.SECONDS)).contains("Cards.charge: Stopped after 4 of 4 attempts");
			assertThat(cards.charge("unreachable")).isEqualTo("charged later");
			assertThat(this.posted).isEmpty();
		});
	}

	/** For DingTalk and WeCom, of docs/ecommerce.zh-CN.md. */
	record GroupAlerts(RestClient hook, ExecutorService thread) implements RetryListener {

		@Override
		public void onStop(RetryEvent.Stopped event) {
			if (event.report().reason() != StopReason.SHUTDOWN) {
				String text = event.method() + ": " + event.report().getMessage();
				Map<String, ?> message = Map.of("msgtype", "text", "text", Map.of("content", text));
				this.thread.execute(() -> this.hook.post().body(message).retrieve().toBodilessEntity());
			}
		}

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
