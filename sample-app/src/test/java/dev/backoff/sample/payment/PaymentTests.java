package dev.backoff.sample.payment;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;

import dev.backoff.event.StopReason;
import dev.backoff.sample.ShopClient;
import dev.backoff.sample.ShopTest;
import dev.backoff.test.BackoffCalls;
import dev.backoff.test.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for payments and their polling, over HTTP. */
@ShopTest
class PaymentTests {

	@Autowired
	private ShopClient shop;

	@Autowired
	private Payments payments;

	@Autowired
	private JdbcClient jdbc;

	@Autowired
	private VirtualTime time;

	@Autowired
	private BackoffCalls calls;

	private final ExecutorService threads = Executors.newFixedThreadPool(20);

	private String trade;

	@BeforeEach
	void startAfresh() {
		this.shop.clearFaults();
		this.trade = this.shop.trade();
	}

	@AfterEach
	void endThreads() {
		this.threads.shutdown();
	}

	@Test
	void asksUntilTheAnswerIsFinal() {
		double pending = pendingAttempts();
		assertThat(statusOf(poll())).isEqualTo("PAID");
		assertThat(questions()).isEqualTo(3);
		assertThat(statusOf(this.shop.get("/payments/" + this.trade))).isEqualTo("PAID");
		assertThat(pendingAttempts()).isEqualTo(pending + 1);
	}

	@Test
	void asksAgainAfterFailures() {
		this.shop.fault("payment-status?reset&times=1");
		assertThat(statusOf(poll())).isEqualTo("PAID");
		assertThat(questions()).isEqualTo(4);
	}

	@Test
	void runsOneChainForTwentyThatAsk() {
		List<CompletableFuture<ResponseEntity<JsonNode>>> polls = IntStream.range(0, 20)
			.mapToObj((n) -> inBackground(this::poll))
			.toList();
		assertThat(polls).allSatisfy((poll) -> assertThat(statusOf(poll.join())).isEqualTo("PAID"));
		assertThat(questions()).isEqualTo(3);
	}

	@Test
	void runsAChainForEachTrade() {
		String other = this.shop.trade();
		CompletableFuture<ResponseEntity<JsonNode>> first = inBackground(this::poll);
		CompletableFuture<ResponseEntity<JsonNode>> second = inBackground(
				() -> this.shop.post("/payments/" + other + "/poll"));
		assertThat(statusOf(first.join())).isEqualTo("PAID");
		assertThat(second.join().getBody().path("trade").asString()).isEqualTo(other);
	}

	@Test
	@SuppressWarnings("try") // the hold is closed and not used
	void endsAtANoticeWithoutAnotherQuestion() {
		this.shop.fault("payment-status?pending&times=99");
		CompletableFuture<ResponseEntity<JsonNode>> poll;
		try (VirtualTime.Hold hold = this.time.hold()) {
			poll = inBackground(this::poll);
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> questions() == 1);
			this.time.advance(Duration.ofSeconds(2));
			assertThat(statusOf(notice("PAID"))).isEqualTo("PAID");
		}
		assertThat(statusOf(poll.join())).isEqualTo("PAID");
		assertThat(questions()).isEqualTo(3);
		assertThat(this.calls.of("payment-polling")).attempts(4).waited("1s", "1s", "1s").succeeded();
	}

	@Test
	void timesOutAtTheDeadlineAndBelievesALaterNotice() {
		this.shop.fault("payment-status?pending&times=99");
		assertThat(statusOf(poll())).isEqualTo("TIMEOUT");
		assertThat(statusOf(this.shop.get("/payments/" + this.trade))).isEqualTo("TIMEOUT");
		int asked = questions();
		assertThat(this.calls.of("payment-polling")).stopped(StopReason.DEADLINE)
			.recovered()
			.waitedInAll("170s", "180s");
		assertThat(statusOf(poll())).isEqualTo("TIMEOUT");
		assertThat(questions()).isEqualTo(asked);
		assertThat(statusOf(notice("PAID"))).isEqualTo("PAID");
		assertThat(statusOf(notice("FAILED"))).isEqualTo("PAID");
	}

	@Test
	void neverOverwritesANoticeWithATimeout() throws Exception {
		CyclicBarrier start = new CyclicBarrier(2);
		for (int i = 0; i < 200; i++) {
			this.jdbc.sql("update payment set status = 'PENDING' where trade = ?").param(this.trade).update();
			CompletableFuture<Payment> timeout = inBackground(() -> {
				meet(start);
				return this.payments.timeOut(this.trade);
			});
			CompletableFuture<Payment> notice = inBackground(() -> {
				meet(start);
				return this.payments.settle(this.trade, PaymentStatus.PAID);
			});
			assertThat(notice.get().status()).isEqualTo(PaymentStatus.PAID);
			assertThat(timeout.get().status()).isIn(PaymentStatus.TIMEOUT, PaymentStatus.PAID);
			assertThat(this.payments.get(this.trade).status()).isEqualTo(PaymentStatus.PAID);
		}
	}

	@Test
	void failsWhenThePartnerDoesNotKnowThePayment() {
		this.shop.fault("payment-status?answer=404");
		assertThat(poll().getStatusCode()).isEqualTo(HttpStatus.BAD_GATEWAY);
		assertThat(questions()).isEqualTo(1);
		assertThat(statusOf(this.shop.get("/payments/" + this.trade))).isEqualTo("PENDING");
		assertThat(statusOf(poll())).as("the next chain").isEqualTo("PAID");
	}

	@Test
	void knowsWhatItDoesNotKnow() {
		assertThat(this.shop.post("/payments/unknown/poll").getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
		assertThat(this.shop.post("/payments/unknown/notice").getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
		assertThat(notice("nonsense").getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);
	}

	private ResponseEntity<JsonNode> poll() {
		return this.shop.post("/payments/" + this.trade + "/poll");
	}

	private ResponseEntity<JsonNode> notice(String status) {
		return this.shop.post("/payments/" + this.trade + "/notice?status=" + status);
	}

	private int questions() {
		return this.shop.calls("payment-status", "/payments/" + this.trade).size();
	}

	private double pendingAttempts() {
		return this.shop.meter("backoff_attempts_seconds_count", "attempt=\"2\"", "outcome=\"pending\"",
				"policy=\"payment-polling\"");
	}

	private <T> CompletableFuture<T> inBackground(Supplier<T> work) {
		return CompletableFuture.supplyAsync(work, this.threads);
	}

	private static void meet(CyclicBarrier barrier) {
		try {
			barrier.await();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String statusOf(ResponseEntity<JsonNode> payment) {
		return payment.getBody().path("status").asString();
	}

}
