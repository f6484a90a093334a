package dev.backoff.test;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.Attempt;
import dev.backoff.Retry;
import dev.backoff.RetryBuilder;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.DelaySource;
import dev.backoff.event.StopReason;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Tests for {@link CallAssert}. */
class CallAssertTests {

	private final VirtualTime time = new VirtualTime();

	private final BackoffCalls calls = new BackoffCalls(this.time);

	private final FaultScript faults = new FaultScript(this.time);

	private final RetryBuilder builder = Retry
		.builder(RetryPolicy.builder("orders").base(Duration.ofMillis(100)).maxAttempts(3).build())
		.method("OrderService.place")
		.time(this.time)
		.random(Chance.MIDDLE.source(1))
		.observer(this.calls);

	private CallAssert orders() {
		return assertThat(this.calls.of("orders"));
	}

	private void place() throws IOException {
		this.builder.build().run(() -> {
			String unused = this.faults.around(() -> Attempt.current().idempotencyKey()).run();
		});
	}

	private static void assertFails(ThrowingCallable assertion, String message) {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(assertion).withMessageStartingWith(message);
	}

	@Nested
	class OnACallThatStopped {

		OnACallThatStopped() {
			CallAssertTests.this.faults.fails();
			assertThatIOException().isThrownBy(CallAssertTests.this::place);
		}

		@Test
		void hold() {
			orders().attempts(3)
				.stopped(StopReason.ATTEMPTS_EXHAUSTED)
				.waited("50ms", "100ms")
				.waitedBetween("50ms", "100ms")
				.waitedInAll("150ms", "150ms")
				.waitSource(2, DelaySource.POLICY)
				.outcome(3, AttemptOutcome.TRANSIENT)
				.failedWith(IOException.class)
				.took(Duration.ofMillis(150));
		}

		@Test
		void printTheStory() {
			assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> orders().attempts(2)).withMessage("""
					Expecting orders to make 2 attempts, but it made 3:
					      0ms   attempt 1   transient   java.io.IOException: fault: fails()
					      0ms   wait 50ms (policy)
					     50ms   attempt 2   transient   java.io.IOException: fault: fails()
					     50ms   wait 100ms (policy)
					    150ms   attempt 3   transient   java.io.IOException: fault: fails()
					    150ms   stopped: ATTEMPTS_EXHAUSTED, recovered: none""");
		}

		@Test
		void say() {
			assertFails(() -> orders().succeeded(), "Expecting orders to succeed, but it ended as ATTEMPTS_EXHAUSTED");
			assertFails(() -> orders().succeededOnFirstAttempt(),
					"Expecting orders to succeed at once, but it ended as");
			assertFails(() -> orders().stopped(StopReason.DEADLINE), "Expecting orders to stop as DEADLINE, but it");
			assertFails(() -> orders().waited("50ms"), "Expecting orders to wait 50ms, but it waited 50ms, 100ms:");
			assertFails(() -> orders().waitedBetween("60ms", "1s"),
					"Expecting orders to wait from 60ms to 1s each time, but it waited 50ms, 100ms:");
			assertFails(() -> orders().waitedInAll("1s", "2m"),
					"Expecting orders to wait from 1s to 2m in all, but it waited 150ms:");
			assertFails(() -> orders().waitSource(1, DelaySource.HINT),
					"Expecting orders to have wait 1 as HINT, but it is POLICY:");
			assertFails(() -> orders().waitSource(3, DelaySource.POLICY),
					"Expecting orders to have wait 3 as POLICY, but it is missing:");
			assertFails(() -> orders().outcome(0, AttemptOutcome.TRANSIENT),
					"Expecting orders to have attempt 0 as TRANSIENT, but it is missing:");
			assertFails(() -> orders().failedWith(IllegalStateException.class),
					"Expecting orders to fail with java.lang.IllegalStateException, but it failed with "
							+ "java.io.IOException: fault: fails():");
			assertFails(() -> orders().recovered(),
					"Expecting orders to recover, but it ended as ATTEMPTS_EXHAUSTED with recovery NONE:");
			assertFails(() -> orders().took(Duration.ofSeconds(1)), "Expecting orders to take 1s, but it took 150ms:");
			assertFails(() -> orders().sameKeyAtEachAttempt(),
					"Expecting orders to ask for its idempotency key in each attempt of its work, and in two or more, but it "
							+ "did in 0 of 0:");
		}

		@Test
		void readDurationsOfAllUnits() {
			orders().waitedInAll("150ms", "150000us").waitedBetween("0s", "1m").waitedBetween("50000000ns", "1d");
			for (String text : List.of("100", "s", "0.15s", "-1s", "1 s", "1w", "1h30m", "")) {
				assertThatIllegalArgumentException().isThrownBy(() -> orders().waited(text))
					.withMessage("Invalid duration (" + text
							+ "): must be a number and a unit, such as 500ms, 2s, 5m, 3h or 1d.");
			}
		}

	}

	@Test
	void aCallThatRecoveredHasItsFailure() throws IOException {
		String result = this.builder.build()
			.call(this.faults.fails().around(() -> "placed"), (order, report) -> "parked");
		assertThat(result).isEqualTo("parked");
		orders().recovered().failedWith(IOException.class);
	}

	@Test
	void aCallThatABreakerRefusedHasNoAttempt() {
		CircuitBreaker breaker = CircuitBreaker.builder("orders").build();
		breaker.forceOpen();
		this.builder.breaker(breaker);
		assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(this::place);
		orders().attempts(0).stopped(StopReason.BREAKER_OPEN).failedWith(CircuitOpenException.class);
	}

	@Test
	void aCallThatSucceededHasWaitedForNothing() throws IOException {
		place();
		assertThat(this.calls.of("OrderService.place")).succeededOnFirstAttempt()
			.succeeded()
			.outcome(1, AttemptOutcome.SUCCESS)
			.waited()
			.took(Duration.ZERO);
		assertFails(() -> orders().sameKeyAtEachAttempt(),
				"Expecting orders to ask for its idempotency key in each attempt of its work, and in two or more, but it "
						+ "did in 1 of 1:");
		assertFails(() -> orders().waitedBetween("0s", "1d"),
				"Expecting orders to wait from 0s to 1d each time, but it waited nothing:");
	}

	@Test
	void aCallThatRunsIsSaidToRun() throws IOException {
		this.builder.build().run(() -> {
			assertFails(() -> orders().succeeded(), """
					Expecting orders to succeed, but it is still running:
					      0ms   attempt 1   running
					      0ms   still running""");
			assertFails(() -> orders().recovered(), "Expecting orders to recover, but it is still running with");
			assertFails(() -> orders().took(Duration.ZERO), "Expecting orders to take 0ms, but it");
		});
	}

	@Nested
	class OnSeveralCalls {

		OnSeveralCalls() throws IOException {
			CallAssertTests.this.faults.passes(1).fails(1);
			place();
			place();
		}

		@Test
		void hold() {
			orders().calls(2).retries(1).allSucceeded();
			orders().call(1).succeededOnFirstAttempt();
			orders().call(2).attempts(2);
		}

		@Test
		void holdForTheirKeys() throws IOException {
			CallAssertTests.this.faults.losesTheAnswer(2);
			place();
			orders().call(3).sameKeyAtEachAttempt();
		}

		@Test
		void sayWhereAnAttemptOfTheWorkHasAskedForNoKey() throws IOException {
			for (int silent = 1; silent <= 3; silent++) {
				int without = silent;
				CallAssertTests.this.builder.build().run(() -> {
					int number = Attempt.current().number();
					String unused = (number != without) ? Attempt.current().idempotencyKey() : "a key of its own";
					if (number < 3) {
						throw new IOException("down");
					}
				});
				assertFails(() -> orders().call(2 + without).sameKeyAtEachAttempt(),
						"Expecting orders to ask for its idempotency key in each attempt of its work, and in two or more, "
								+ "but it did in 2 of 3:");
			}
		}

		@Test
		void holdForTheKeysOfAttemptsWhoseWorkHasRun() throws IOException {
			CallAssertTests.this.faults.fails(1).losesTheAnswer(1);
			place();
			orders().call(3).attempts(3).sameKeyAtEachAttempt();
		}

		@Test
		void sayFirstWhatDidNotSucceed() {
			CallAssertTests.this.faults.fails();
			assertThatIOException().isThrownBy(CallAssertTests.this::place);
			assertFails(() -> orders().allSucceeded(), """
					Expecting orders to succeed each time, but it did in 2 of 3 calls:
					call 3, OrderService.place
					""");
		}

		@Test
		void say() {
			assertFails(() -> orders().attempts(1), """
					Expecting orders to be called once, but it was called 2 times; write call(k) for one:
					call 1, OrderService.place
					      0ms   attempt 1   success
					      0ms   stopped: SUCCEEDED, recovered: none

					call 2, OrderService.place
					      0ms   attempt 1   transient   java.io.IOException: fault: fails()
					""");
			assertFails(() -> orders().calls(1), "Expecting orders to be called 1 times, but it was called 2 times:");
			assertFails(() -> orders().calls(0), "Expecting orders to be called 0 times, but it was called 2 times:");
			assertFails(() -> orders().retries(2), "Expecting orders to make 2 retries, but it made 1:");
			assertFails(() -> orders().call(3), "Expecting orders to have call 3, counted from 1, but it was called 2");
			assertFails(() -> orders().call(0), "Expecting orders to have call 0, counted from 1, but it was called 2");
			CallAssertTests.this.faults.fails();
			assertThatIOException().isThrownBy(CallAssertTests.this::place);
			assertFails(() -> orders().allSucceeded(), "Expecting orders to succeed each time, but it did in 2 of 3");
		}

		@Test
		void keepTheDescription() {
			assertFails(() -> orders().as("both").attempts(1), "[both] Expecting orders to be called once");
		}

	}

	@Nested
	class WithoutACall {

		@Test
		void hold() {
			orders().calls(0).retries(0);
		}

		@Test
		void say() {
			assertFails(() -> orders().succeeded(), "Expecting orders to be called once, but it was called 0 times.");
			assertFails(() -> orders().calls(6), "Expecting orders to be called 6 times, but it was called 0 times.");
			assertFails(() -> orders().allSucceeded(), "Expecting orders to succeed each time, but it did in 0 of 0");
		}

	}

}
