package dev.backoff;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.delay.Jitter;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.failure.Idempotency;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

@SuppressWarnings("try") // a scope is opened for its effect, and has no other use
class OutboundRequestTests {

	private final VirtualTime time = new VirtualTime();

	private final List<String> keys = new ArrayList<>();

	@Test
	void outsideACallThereIsNothingToTell() {
		assertThat(OutboundRequest.begin("POST", null)).isNull();
	}

	@Test
	void tellsTheAttemptAndTheTimeLeft() throws Exception {
		List<OutboundRequest> requests = new ArrayList<>();
		retry(Idempotency.YES, Duration.ofSeconds(5)).call(() -> {
			requests.add(begin());
			return failingTwice(requests.size());
		});
		assertThat(requests).extracting(OutboundRequest::attempt).containsExactly(1, 2, 3);
		assertThat(requests).extracting(OutboundRequest::timeLeft)
			.containsExactly(Duration.ofMillis(5000), Duration.ofMillis(4900), Duration.ofMillis(4700));
		assertThat(requests).extracting(OutboundRequest::idempotencyKey).containsOnlyNulls();
	}

	@Test
	void ofADeadlineOnlyTheTimeLeftIsTold() {
		try (RetryContext.Scope scope = RetryContext.ofDeadline(Duration.ofSeconds(2), this.time).open()) {
			assertThat(begin().attempt()).isZero();
			assertThat(begin().timeLeft()).isEqualTo(Duration.ofSeconds(2));
			assertThat(begin().idempotencyKey()).isNull();
		}
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-",
			value = { "https://ann:sesame@pay.example:8443/cards/4111?key=1, pay.example:8443",
					"http://pay.example/cards/4111, pay.example", "http://pay_gateway:8080/x, pay_gateway:8080",
					"http://[::1]:81/x, [::1]:81", "/cards/4111, -", "mailto:ann@example.com, -",
					"http://ann:ses/ame@pay.example, -", "http://\u202Eelpmaxe.yap, -", "http://ann@:80, -" })
	void nameTheHostOfTheLastOneAndNoPathInTheStopReport(URI uri, String host) {
		RetriesStoppedException report = stop((attempt) -> {
			OutboundRequest.begin("GET", URI.create("http://first.example"));
			OutboundRequest.begin("GET", uri);
		});
		assertThat(report.host()).isEqualTo(host);
		assertThat(report.getMessage()).endsWith((host != null) ? "; last request to " + host + ")" : " 0 ms)");
	}

	@Test
	void ofAnAttemptBeforeOrWithoutAReadableUriNameNoHost() {
		assertThat(stop((attempt) -> {
			if (attempt == 1) {
				OutboundRequest.begin("GET", URI.create("http://first.example"));
			}
		}).host()).isNull();
		assertThat(stop((attempt) -> OutboundRequest.begin("GET", null)))
			.extracting(RetriesStoppedException::attempts, RetriesStoppedException::host)
			.containsExactly(3, null);
	}

	private RetriesStoppedException stop(IntConsumer requests) {
		return RetriesStoppedException
			.of(catchThrowable(() -> retry(Idempotency.YES, Duration.ofSeconds(60)).callOn("x", (context, attempt) -> {
				requests.accept(attempt);
				throw new IOException("reset");
			}, null)));
	}

	@Nested
	class Keys {

		@Test
		void areTheSameAtEachAttempt() throws Exception {
			byKey().call(OutboundRequestTests.this::sendFailingTwice);
			assertThat(OutboundRequestTests.this.keys).hasSize(3).doesNotContainNull().containsOnly(key(0));
			assertThat(key(0)).hasSize(36);
		}

		@Test
		void areOthersForTheNextCall() throws Exception {
			Retry retry = byKey();
			retry.call(OutboundRequestTests.this::send);
			retry.call(OutboundRequestTests.this::send);
			assertThat(key(0)).isNotEqualTo(key(1));
		}

		@Test
		void differBetweenTheRequestsOfAnAttempt() throws Exception {
			byKey().call(() -> {
				send();
				return sendFailingTwice();
			});
			assertThat(OutboundRequestTests.this.keys).hasSize(6);
			assertThat(OutboundRequestTests.this.keys.subList(2, 6)).containsExactly(key(0), key(1), key(0), key(1));
			assertThat(key(0)).isNotEqualTo(key(1));
		}

		@Test
		void ofInnerCallsAreRepeatedByAnOuterRetry() throws Exception {
			byKey().call(() -> {
				byKey().call(OutboundRequestTests.this::send);
				byKey().call(OutboundRequestTests.this::send);
				return sendFailingTwice();
			});
			assertThat(OutboundRequestTests.this.keys).hasSize(9);
			assertThat(OutboundRequestTests.this.keys.subList(3, 6)).containsExactly(key(0), key(1), key(2));
			assertThat(OutboundRequestTests.this.keys.subList(6, 9)).containsExactly(key(0), key(1), key(2));
			assertThat(OutboundRequestTests.this.keys.subList(0, 3)).doesNotHaveDuplicates();
		}

		@Test
		void onTwoThreadsOfAnAttemptDifferAndAreRepeated() throws Exception {
			ExecutorService executor = Executors.newSingleThreadExecutor();
			try {
				byKey().call(() -> {
					RetryContext first = RetryContext.capture();
					RetryContext second = RetryContext.capture();
					executor.submit(first.wrap(() -> send())).get();
					executor.submit(second.wrap(() -> send())).get();
					executor.submit(second.wrap(() -> byKey().call(OutboundRequestTests.this::send))).get();
					return sendFailingTwice();
				});
			}
			finally {
				executor.shutdownNow();
			}
			List<String> keys = OutboundRequestTests.this.keys;
			assertThat(keys).hasSize(12);
			assertThat(keys.subList(0, 4)).doesNotHaveDuplicates();
			assertThat(keys.subList(4, 8)).isEqualTo(keys.subList(0, 4));
			assertThat(keys.subList(8, 12)).isEqualTo(keys.subList(0, 4));
		}

		@Test
		void differHoweverOftenAContextIsOpened() throws Exception {
			byKey().call(() -> {
				RetryContext context = RetryContext.capture();
				Thread thread = new Thread(() -> {
					context.wrap(() -> {
						send();
					}).run();
					context.wrap(() -> {
						send();
					}).run();
				});
				thread.start();
				thread.join();
				return send();
			});
			assertThat(OutboundRequestTests.this.keys).hasSize(3).doesNotHaveDuplicates();
		}

		@Test
		void doNotDependOnWhoElseLooks() throws Exception {
			int[] attempt = { 0 };
			byKey().call(() -> {
				for (int i = 0; i < attempt[0]; i++) {
					RetryContext.capture();
				}
				attempt[0]++;
				byKey().call(OutboundRequestTests.this::send);
				return sendFailingTwice();
			});
			assertThat(OutboundRequestTests.this.keys).hasSize(6);
			assertThat(OutboundRequestTests.this.keys.subList(4, 6)).containsExactly(key(0), key(1));
		}

	}

	private String key(int index) {
		return this.keys.get(index);
	}

	private String send() {
		String key = begin().idempotencyKey();
		this.keys.add(key);
		return key;
	}

	private String sendFailingTwice() throws IOException {
		send();
		return failingTwice(Attempt.current().number());
	}

	private static String failingTwice(int attempt) throws IOException {
		if (attempt < 3) {
			throw new IOException("attempt " + attempt);
		}
		return "done";
	}

	private static OutboundRequest begin() {
		return Objects.requireNonNull(OutboundRequest.begin("POST", null));
	}

	private Retry byKey() {
		return Retry.builder(policy(Idempotency.BY_KEY).build()).time(this.time).build();
	}

	private Retry retry(Idempotency idempotency, Duration deadline) {
		return Retry.builder(policy(idempotency).deadline(deadline).build()).time(this.time).build();
	}

	private static RetryPolicyBuilder policy(Idempotency idempotency) {
		return RetryPolicy.builder("orders")
			.base(Duration.ofMillis(100))
			.jitter(Jitter.none())
			.maxAttempts(3)
			.idempotency(idempotency);
	}

}
