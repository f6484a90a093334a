package dev.backoff.spring.observation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import ch.qos.logback.classic.Level;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.Operation;
import dev.backoff.OutboundRequest;
import dev.backoff.Retry;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.delay.Jitter;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.failure.BuiltInFailureClassifiers;
import dev.backoff.spring.observation.StoppedCalls.StoppedCall;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

class StoppedCallsTests {

	private static final Instant NOON = Instant.parse("2026-03-04T12:00:00Z");

	private final VirtualTime time = new VirtualTime();

	private boolean messages;

	private final StoppedCalls stopped = new StoppedCalls(new Clock() {

		@Override
		public Instant instant() {
			return NOON.plus(StoppedCallsTests.this.time.elapsed());
		}

		@Override
		public ZoneOffset getZone() {
			return ZoneOffset.UTC;
		}

		@Override
		public Clock withZone(ZoneId zone) {
			return this;
		}

	}, () -> this.messages);

	private Retry retry(String policy, int attempts) {
		return Retry.builder(RetryPolicy.builder(policy).jitter(Jitter.none()).maxAttempts(attempts).build())
			.method("OrderService.place")
			.time(this.time)
			.listener(this.stopped)
			.build();
	}

	private void stop(String policy, int attempts, Exception failure) {
		stop(policy, attempts, failure, "pay.example");
	}

	private void stop(String policy, int attempts, Exception failure, String host) {
		Operation<String, Exception> failing = () -> {
			this.time.advance(Duration.ofMillis(10));
			OutboundRequest.begin("GET", URI.create("http://" + host + ":81/cards/4111"));
			throw failure;
		};
		assertThat(catchThrowable(() -> retry(policy, attempts).call(failing))).isSameAs(failure);
	}

	@Test
	void aRejectedCallHasTheHostOfTheLastCallThatFailed() {
		CircuitBreaker breaker = CircuitBreaker.builder("gateway").time(this.time).build();
		Retry guarded = Retry.builder(RetryPolicy.builder("orders").build())
			.time(this.time)
			.breaker(breaker)
			.listener(this.stopped)
			.build();
		breaker.forceOpen();
		assertThat(catchThrowable(() -> guarded.call(() -> "paid"))).isInstanceOf(CircuitOpenException.class);
		assertThat(last().host()).isNull();
		stop("orders", 2, new IOException());
		stop("orders", 2, new IllegalArgumentException(), "stock.example");
		assertThat(last().host()).isEqualTo("stock.example:81");
		assertThat(catchThrowable(() -> guarded.call(() -> "paid"))).isInstanceOf(CircuitOpenException.class);
		assertThat(last()).returns(StopReason.BREAKER_OPEN, StoppedCall::reason)
			.returns("pay.example:81", StoppedCall::host);
	}

	@Test
	void aFailureWhoseMethodsThrowIsRetriedLoggedAndKept() {
		this.messages = true;
		RuntimeException hostile = new IllegalStateException() {

			private static final long serialVersionUID = 1L;

			@Override
			public synchronized Throwable getCause() {
				throw new IllegalArgumentException();
			}

			@Override
			public String getMessage() {
				throw new IllegalArgumentException();
			}

		};
		try (LogCapture log = new LogCapture(StopLogger.class)) {
			Retry retry = Retry
				.builder(RetryPolicy.builder("orders")
					.classifiers(List.of(new BuiltInFailureClassifiers(null, Clock.systemUTC(), true)))
					.build())
				.method("OrderService.place")
				.time(this.time)
				.listener(this.stopped)
				.listener(new StopLogger(this.time, Runnable::run, () -> List::of))
				.build();
			Operation<String, RuntimeException> failing = () -> {
				throw hostile;
			};
			assertThat(catchThrowable(() -> retry.call(failing))).isSameAs(hostile);
			assertThat(last().attempts()).isEqualTo(4);
			assertThat(last().failure()).isEqualTo(hostile.getClass().getName());
			assertThat(last().message()).isNull();
			assertThat(retry.call(failing, (context, report) -> "recovered")).isEqualTo("recovered");
			assertThat(this.stopped.of("orders")).hasSize(2);
			assertThat(log.lines(Level.WARN)).hasSize(2)
				.allMatch((line) -> line.contains(" failed with " + hostile.getClass().getName()));
		}
	}

	private StoppedCall last() {
		return this.stopped.of("orders").get(0);
	}

	@Test
	void tellsTheWholeStory() {
		stop("orders", 3, new UncheckedIOException(new IOException("card 4111")));
		assertThat(this.stopped.of("orders")).containsExactly(new StoppedCall(NOON.plusMillis(330), "orders",
				"OrderService.place", StopReason.ATTEMPTS_EXHAUSTED, 3,
				List.of(Duration.ofMillis(100), Duration.ofMillis(200)),
				List.of(Duration.ofMillis(10), Duration.ofMillis(10), Duration.ofMillis(10)), Duration.ofMillis(330),
				"pay.example:81", "java.io.UncheckedIOException", "java.io.IOException", null, RecoveryOutcome.NONE));
		assertThat(this.stopped.policies()).containsExactly("orders");
		assertThat(this.stopped.of("others")).isEmpty();
	}

	@Test
	void tellsOfAResultThatWasNotGoodEnough() {
		Retry retry = Retry
			.builder(RetryPolicy.builder("orders").retryWhen((result, context) -> true).maxAttempts(1).build())
			.time(this.time)
			.listener(this.stopped)
			.build();
		assertThat(retry.<String, RuntimeException>call(() -> "card 4111")).isEqualTo("card 4111");
		assertThat(last()).extracting(StoppedCall::failure, StoppedCall::rootFailure, StoppedCall::message)
			.containsOnlyNulls();
		assertThat(last()).asString().doesNotContain("4111");
	}

	@Test
	void tellsWhatTheRecoveryCameTo() throws Exception {
		assertThat(retry("orders", 1).<String, Exception>call(() -> {
			throw new IOException();
		}, (context, report) -> "parked")).isEqualTo("parked");
		assertThat(last()).extracting(StoppedCall::recovery).isEqualTo(RecoveryOutcome.DONE);
	}

	@Nested
	class Only {

		@Test
		void theLastTwentyAreKept() {
			for (int i = 0; i < 50; i++) {
				stop("orders", 1, new IOException());
			}
			stop("payments", 1, new IOException());
			assertThat(StoppedCallsTests.this.stopped.of("orders")).hasSize(20)
				.extracting(StoppedCall::time)
				.startsWith(NOON.plusMillis(500), NOON.plusMillis(490))
				.endsWith(NOON.plusMillis(310));
			assertThat(StoppedCallsTests.this.stopped.of("payments")).hasSize(1);
			assertThat(StoppedCallsTests.this.stopped.policies()).containsExactly("orders", "payments");
		}

		@Test
		void callsThatNoOtherCallReportsAreKept() {
			stop("bugs", 3, new IllegalArgumentException("bug"));
			assertThat(StoppedCallsTests.this.stopped.of("bugs")).extracting(StoppedCall::reason)
				.containsExactly(StopReason.NOT_RETRYABLE);
			retry("orders", 3).callAsync(CompletableFuture::new).cancel(true);
			Retry inner = retry("inner", 2);
			assertThat(catchThrowable(() -> retry("orders", 3).call(() -> inner.call(() -> {
				throw new IOException();
			})))).isInstanceOf(IOException.class);
			assertThat(StoppedCallsTests.this.stopped.of("orders")).isEmpty();
			assertThat(StoppedCallsTests.this.stopped.of("inner")).hasSize(1);
		}

		@Test
		void aBoundedNumberOfPoliciesIsKept() {
			for (int i = 0; i < StoppedCalls.MOST_POLICIES + 50; i++) {
				stop("policy" + i, 1, new IOException());
			}
			assertThat(StoppedCallsTests.this.stopped.policies()).hasSize(StoppedCalls.MOST_POLICIES + 1);
			assertThat(StoppedCallsTests.this.stopped.of(StoppedCalls.OTHER)).hasSize(20)
				.extracting(StoppedCall::policy)
				.startsWith("policy1049");
		}

		@Test
		void textIsKept() {
			StoppedCallsTests.this.messages = true;
			WeakReference<Throwable> failure = stopWithAnArgument();
			while (failure.get() != null) {
				System.gc();
				Thread.onSpinWait();
			}
			assertThat(last()).extracting(StoppedCall::message).isEqualTo("down");
		}

		private WeakReference<Throwable> stopWithAnArgument() {
			List<Throwable> thrown = new ArrayList<>();
			thrown.add(catchThrowable(() -> retry("orders", 2).call(() -> {
				throw new IOException("down");
			})));
			return new WeakReference<>(thrown.get(0));
		}

	}

	@Nested
	class Messages {

		@Test
		void areNotEvenRead() {
			stop("orders", 1, new IOException() {

				@Override
				public String getMessage() {
					throw new AssertionError("read");
				}

			});
			assertThat(last()).extracting(StoppedCall::message).isNull();
		}

		@Test
		void areShownWhileThatIsAllowed() {
			StoppedCallsTests.this.messages = true;
			stop("orders", 1, new IOException("card 4111"));
			assertThat(last()).extracting(StoppedCall::message).isEqualTo("card 4111");
			StoppedCallsTests.this.messages = false;
			assertThat(last()).extracting(StoppedCall::message).isNull();
			assertThat(last()).asString().doesNotContain("4111");
		}

		@Test
		void areOneLine() {
			StoppedCallsTests.this.messages = true;
			stop("orders", 1, new IOException("a\nb\r\tc\u001b[31m\u2028d\u202ee\u0000 é 漢 😀"));
			assertThat(last()).extracting(StoppedCall::message).isEqualTo("a?b??c?[31m?d?e? é 漢 😀");
		}

		@Test
		void areCutWithoutTearingACharacter() {
			StoppedCallsTests.this.messages = true;
			stop("orders", 1, new IOException("x".repeat(199) + "😀" + "y".repeat(1_000)));
			assertThat(last()).extracting(StoppedCall::message).isEqualTo("x".repeat(199));
			stop("orders", 1, new IOException("x".repeat(198) + "😀" + "y".repeat(1_000)));
			assertThat(last()).extracting(StoppedCall::message).isEqualTo("x".repeat(198) + "😀");
			stop("orders", 1, new IOException("\ud83d"));
			assertThat(last()).extracting(StoppedCall::message).isEqualTo("?");
		}

		@Test
		void areMissingWhereThereIsNone() {
			StoppedCallsTests.this.messages = true;
			stop("orders", 1, new IOException());
			assertThat(last()).extracting(StoppedCall::message).isNull();
		}

	}

	@Test
	void keepsTwentyOfManyThreads() {
		Crowd.of(16, (number) -> {
			for (int i = 0; i < 100; i++) {
				Retry retry = retry("orders", 1);
				assertThat(catchThrowable(() -> retry.call(() -> {
					throw new IOException();
				}))).isInstanceOf(IOException.class);
				assertThat(this.stopped.of("orders")).hasSizeBetween(1, 20).doesNotContainNull();
			}
		});
		assertThat(this.stopped.of("orders")).hasSize(20);
	}

}
