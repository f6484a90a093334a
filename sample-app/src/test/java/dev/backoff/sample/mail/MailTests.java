package dev.backoff.sample.mail;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import dev.backoff.sample.ShopClient;
import dev.backoff.sample.ShopTest;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for the mails that confirm orders, which are sent in the background. */
@ShopTest
class MailTests {

	private static final Duration A_MINUTE = Duration.ofMinutes(1);

	@Autowired
	private ShopClient shop;

	@Autowired
	private Outbox outbox;

	@Autowired
	private MailJob job;

	@Autowired
	private ThreadPoolTaskExecutor executor;

	@BeforeEach
	void startAfresh() {
		this.shop.clearFaults();
		// mails of other tests
		Awaitility.await()
			.atMost(A_MINUTE)
			.until(() -> this.executor.getQueueSize() == 0 && this.executor.getActiveCount() == 0);
		this.job.send();
		awaitEmptyOutbox();
	}

	@Test
	void areSentAtTheThirdAttempt() {
		long before = count();
		this.shop.fault("mails?answer=503&times=2");
		this.shop.trade();
		awaitEmptyOutbox();
		assertThat(count()).isEqualTo(before + 3);
	}

	@Test
	void stayInTheOutboxUntilTheJobSendsThem() {
		this.shop.fault("mails?answer=400");
		long order = this.shop.order("tea").getBody().path("id").asLong();
		Awaitility.await().atMost(A_MINUTE).until(() -> calls(order) == 1);
		assertThat(this.outbox.unsent()).containsExactly(order);
		this.shop.fault("mails?answer=503&times=2");
		this.job.send();
		assertThat(this.outbox.unsent()).isEmpty();
		assertThat(calls(order)).isEqualTo(4);
	}

	private void awaitEmptyOutbox() {
		Awaitility.await().atMost(A_MINUTE).until(() -> this.outbox.unsent().isEmpty());
	}

	private long count() {
		return this.shop.page("mails").path("count").asLong();
	}

	private long calls(long order) {
		return this.shop.page("mails")
			.path("last")
			.values()
			.stream()
			.map((call) -> call.path("key").asString())
			.filter(("order-" + order)::equals)
			.count();
	}

}
