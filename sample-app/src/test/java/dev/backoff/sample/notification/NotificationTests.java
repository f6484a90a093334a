package dev.backoff.sample.notification;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

import dev.backoff.Retry;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.sample.ShopClient;
import dev.backoff.sample.ShopTest;
import dev.backoff.sample.payment.Payment;
import dev.backoff.sample.payment.PaymentStatus;
import dev.backoff.test.BackoffCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Tests for notifications, over HTTP. */
@ShopTest
@ExtendWith(OutputCaptureExtension.class)
class NotificationTests {

	@Autowired
	private ShopClient shop;

	@Autowired
	private ParkedNotifications parked;

	@Autowired
	private MerchantNotifier notifier;

	@Autowired
	private JdbcClient jdbc;

	@Autowired
	private BackoffCalls calls;

	private String trade;

	@BeforeEach
	void startAfresh() {
		this.shop.clearFaults();
		this.trade = this.shop.trade();
	}

	@Test
	void sends() {
		ResponseEntity<JsonNode> answer = callback();
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.OK);
		assertThat(answer.getBody().path("state").asString()).isEqualTo("SENT");
	}

	@Test
	void sendsAtTheSixthAttempt() {
		this.shop.fault("notifications?reset&times=5");
		assertThat(callback().getBody().path("state").asString()).isEqualTo("SENT");
	}

	@Test
	void parksWhatCannotBeSentAndWarnsOnce(CapturedOutput output) {
		long before = count();
		this.shop.fault("notifications?answer=503&times=99");
		ResponseEntity<JsonNode> answer = callback();
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);
		assertThat(count()).isEqualTo(before + 6);
		assertThat(this.calls.of("payment-callback")).attempts(6).waited("1s", "2s", "4s", "8s", "16s").recovered();
		assertThat(output.getOut().lines().filter((line) -> line.contains("StopLogger"))).singleElement()
			.asString()
			.contains("Stopped after 6 of 6 attempts", "ATTEMPTS_EXHAUSTED (policy payment-callback;");
		ParkedNotification row = this.parked.find(answer.getBody().path("parkedId").asLong()).orElseThrow();
		assertThat(row.trade()).isEqualTo(this.trade);
		assertThat("T" + row.orderId()).isEqualTo(this.trade);
		assertThat(row.policy()).isEqualTo("payment-callback");
		assertThat(row.stopReason()).isEqualTo("ATTEMPTS_EXHAUSTED");
		assertThat(row.attempts()).isEqualTo(6);
		assertThat(row.failureClass())
			.isEqualTo("org.springframework.web.client.HttpServerErrorException$ServiceUnavailable");
		assertThat(row.idempotencyKey()).isEqualTo(lastKey());
		assertThat(row.state()).isEqualTo("PARKED");
		assertThat(row.elapsedMs()).isPositive();
		assertThat(this.shop.get("/parked").getBody()).anySatisfy((listed) -> {
			assertThat(listed.path("id").asLong()).isEqualTo(row.id());
			assertThat(listed.path("state").asString()).isEqualTo("PARKED");
		});
	}

	@Test
	void parksAtOnceWhatDeservesNoRetry() {
		long before = count();
		this.shop.fault("notifications?answer=400");
		ParkedNotification row = this.parked.find(park()).orElseThrow();
		assertThat(count()).isEqualTo(before + 1);
		assertThat(row.stopReason()).isEqualTo("NOT_RETRYABLE");
		assertThat(row.attempts()).isEqualTo(1);
	}

	@Test
	void parksWhatABreakerHasRefusedUnderAKeyOfItsOwn() {
		CircuitBreaker breaker = CircuitBreaker.builder("merchants").build();
		breaker.forceOpen();
		Retry refused = Retry.builder(RetryPolicy.builder("payment-callback").build()).breaker(breaker).build();
		RetriesStoppedException report = RetriesStoppedException.of(catchThrowable(() -> refused.call(() -> "sent")));
		assertThat(report.attempts()).isZero();
		Payment payment = new Payment(this.trade, Long.parseLong(this.trade.substring(1)), PaymentStatus.PENDING);
		Notification notification = this.notifier.park(payment, report);
		ParkedNotification row = this.parked.find(notification.parkedId()).orElseThrow();
		assertThat(row.stopReason()).isEqualTo("BREAKER_OPEN");
		assertThat(redo(row.id()).getBody().path("state").asString()).isEqualTo("DONE");
		assertThat(lastKey()).isEqualTo(row.idempotencyKey());
	}

	@Test
	void redoesWithTheSameKey() {
		long id = parkAfterFailures();
		String key = lastKey();
		this.shop.fault("notifications?answer=503");
		assertThat(redo(id).getBody().path("state").asString()).isEqualTo("DONE");
		assertThat(lastKey()).isEqualTo(key);
	}

	@Test
	void doesNothingWhenAFinishedRowIsRedone() {
		long id = parkAfterFailures();
		redo(id);
		long before = count();
		ResponseEntity<JsonNode> again = redo(id);
		assertThat(again.getStatusCode()).isEqualTo(HttpStatus.OK);
		assertThat(again.getBody().path("state").asString()).isEqualTo("DONE");
		assertThat(count()).isEqualTo(before);
	}

	@Test
	void sendsOnceWhenTenRedoAtOnce() {
		long id = parkAfterFailures();
		long before = count();
		this.shop.fault("notifications?hang=100ms");
		ExecutorService threads = Executors.newFixedThreadPool(10);
		try {
			List<CompletableFuture<ResponseEntity<JsonNode>>> answers = IntStream.range(0, 10)
				.mapToObj((n) -> CompletableFuture.supplyAsync(() -> redo(id), threads))
				.toList();
			assertThat(answers).allSatisfy(
					(answer) -> assertThat(answer.join().getBody().path("state").asString()).isIn("REDOING", "DONE"));
		}
		finally {
			threads.shutdown();
		}
		assertThat(count()).isEqualTo(before + 1);
		assertThat(this.parked.find(id).orElseThrow().state()).isEqualTo("DONE");
	}

	@Test
	void parksAgainWhatFailsAgain() {
		long id = parkAfterFailures();
		this.shop.fault("notifications?answer=503&times=99");
		assertThat(redo(id).getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
		assertThat(this.parked.find(id).orElseThrow().state()).isEqualTo("PARKED");
		this.shop.clearFaults();
		assertThat(redo(id).getBody().path("state").asString()).isEqualTo("DONE");
	}

	@Test
	void takesOverAClaimThatWasLeftBehind() {
		long id = parkAfterFailures();
		assertThat(this.parked.claim(id)).isTrue();
		assertThat(this.parked.claim(id)).isFalse();
		this.jdbc
			.sql("update notification_parked set changed_at = current_timestamp - interval '6' minute where id = ?")
			.param(id)
			.update();
		assertThat(redo(id).getBody().path("state").asString()).isEqualTo("DONE");
	}

	@Test
	void knowsWhatItDoesNotKnow() {
		assertThat(redo(999_999).getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
		assertThat(this.shop.post("/payments/unknown/callback").getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
	}

	private ResponseEntity<JsonNode> callback() {
		return this.shop.post("/payments/" + this.trade + "/callback");
	}

	private ResponseEntity<JsonNode> redo(long id) {
		return this.shop.post("/parked/" + id + "/redo");
	}

	private long park() {
		return callback().getBody().path("parkedId").asLong();
	}

	private long parkAfterFailures() {
		this.shop.fault("notifications?reset&times=6");
		return park();
	}

	private long count() {
		return this.shop.page("notifications").path("count").asLong();
	}

	private String lastKey() {
		JsonNode last = this.shop.page("notifications").path("last");
		return last.path(last.size() - 1).path("key").asString();
	}

}
