package dev.backoff.sample.notification;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.annotation.DirtiesContext;

import dev.backoff.event.RetriesStoppedException;
import dev.backoff.sample.ShopClient;
import dev.backoff.sample.ShopTest;
import dev.backoff.sample.payment.Payment;
import dev.backoff.sample.payment.PaymentStatus;
import dev.backoff.test.BackoffFaults;

import static org.assertj.core.api.Assertions.assertThat;

/** A merchant that is down while a hundred notifications are sent at once. */
@ShopTest
@Import(OutageTests.Watched.class)
@DirtiesContext
class OutageTests {

	private static final int CALLS = 100;

	@Autowired
	private ShopClient shop;

	@Autowired
	private MerchantNotifier notifier;

	@Autowired
	private WatchedNotifications parked;

	private final ExecutorService threads = Executors.newFixedThreadPool(CALLS);

	private Payment payment;

	@BeforeEach
	void refuseAll(@Autowired BackoffFaults faults) {
		String trade = this.shop.trade();
		this.payment = new Payment(trade, Long.parseLong(trade.substring(1)), PaymentStatus.PENDING);
		faults.of("payment-callback").answers(503);
	}

	@AfterEach
	void stopThreads() {
		this.threads.shutdown();
	}

	@Test
	void parksFiveNotificationsAtOnceAndForgetsNone() {
		long before = this.parked.all().size();
		this.parked.watch(5);
		List<CompletableFuture<Notification>> sent = IntStream.range(0, CALLS)
			.mapToObj((n) -> CompletableFuture.supplyAsync(() -> this.notifier.send(this.payment), this.threads))
			.toList();
		assertThat(sent).allSatisfy((notification) -> assertThat(notification.join().state()).isEqualTo("PARKED"));
		assertThat(this.parked.all()).hasSize((int) before + CALLS);
		assertThat(this.parked.most()).isEqualTo(5);
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Watched {

		@Bean
		@Primary
		WatchedNotifications watchedNotifications(JdbcClient jdbc) {
			return new WatchedNotifications(jdbc);
		}

	}

	/** Counts how many park at once. The first wait for each other. */
	static class WatchedNotifications extends ParkedNotifications {

		private final AtomicInteger running = new AtomicInteger();

		private final AtomicInteger most = new AtomicInteger();

		private volatile CountDownLatch together = new CountDownLatch(0);

		WatchedNotifications(JdbcClient jdbc) {
			super(jdbc);
		}

		void watch(int together) {
			this.most.set(0);
			this.together = new CountDownLatch(together);
		}

		int most() {
			return this.most.get();
		}

		@Override
		long park(Payment payment, String key, RetriesStoppedException report) {
			this.most.accumulateAndGet(this.running.incrementAndGet(), Math::max);
			try {
				this.together.countDown();
				assertThat(this.together.await(60, TimeUnit.SECONDS)).isTrue();
				return super.park(payment, key, report);
			}
			catch (InterruptedException ex) {
				throw new AssertionError(ex);
			}
			finally {
				this.running.decrementAndGet();
			}
		}

	}

}
