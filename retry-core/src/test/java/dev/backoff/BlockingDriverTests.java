package dev.backoff;

import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.delay.Shape;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.Listeners;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Calls through {@link Retry}: what they return and throw, their delays and events. */
class BlockingDriverTests extends CallFixture {

	@Nested
	class Success {

		@Test
		void afterTheDeadlineIsReturned() throws Exception {
			ScriptedOperation<String> operation = ScriptedOperation.<String>script()
				.returns("late")
				.taking(Duration.ofSeconds(10), time());
			assertThat(retry(policy().deadline(Duration.ofSeconds(1))).call(operation)).isEqualTo("late");
		}

		@Test
		void leavesAnInterruptFlagAlone() throws Exception {
			Thread.currentThread().interrupt();
			assertThat(retry(policy()).call(() -> "done")).isEqualTo("done");
			assertThat(Thread.interrupted()).isTrue();
		}

	}

	@Nested
	class Refusal {

		@Test
		void endsTheCallWhereItHappens() {
			IllegalArgumentException last = new IllegalArgumentException();
			ScriptedOperation<String> operation = ScriptedOperation.<String>script()
				.fails(2, IOException::new)
				.fails(last);
			assertThatThrownBy(() -> retry(policy()).call(operation)).isSameAs(last);
			assertThat(operation.calls()).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.NOT_RETRYABLE);
			assertThat(report()).hasMessage(
					"Stopped after 3 of 4 attempts in 300 ms: NOT_RETRYABLE, IllegalArgumentException is a programming "
							+ "error; name it in retryOn to retry; the first failure was IOException (policy orders; "
							+ "waits 100 ms, 200 ms; attempts 0 ms, 0 ms, 0 ms)");
		}

		@Test
		void byAnInterruptInsideAProxyRestoresTheFlagOfThisThreadOnly() {
			InterruptedException inside = new InterruptedException();
			for (Exception failure : List.of(new UndeclaredThrowableException(inside),
					new ExecutionException(inside))) {
				listener().clear();
				assertThatThrownBy(() -> retry(policy()).call(ScriptedOperation.script().fails(failure)))
					.isSameAs(failure);
				assertThat(reason()).isEqualTo(StopReason.INTERRUPTED);
				// a future that failed with it tells of another thread
				assertThat(Thread.interrupted()).isEqualTo(failure instanceof UndeclaredThrowableException);
			}
		}

		@Test
		void duringTheWaitStartsNoAttempt() {
			boolean[] enabled = { true };
			time().whileSleeping((nanos) -> enabled[0] = false);
			ScriptedOperation<String> operation = ScriptedOperation.<String>script().fails(new IOException());
			Retry retry = builder(policy()).enabledWhen(() -> enabled[0]).build();
			assertThatThrownBy(() -> retry.call(operation)).isInstanceOf(IOException.class);
			assertThat(operation.calls()).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.DISABLED);
			assertThat(recorder().lines()).containsExactly("attempt 1 transient 0ms", "waiting policy 100ms", "waited",
					"call disabled 100ms");
		}

	}

	@Nested
	class Interruption {

		private final IOException failure = new IOException();

		private final ScriptedOperation<String> operation = ScriptedOperation.<String>script().fails(this.failure);

		@Test
		void whileWaitingThrowsTheLastFailure() {
			time().interruptSleep(2);
			assertThatThrownBy(() -> retry(policy()).call(this.operation)).isSameAs(this.failure);
			assertThat(Thread.interrupted()).isTrue();
			assertThat(this.operation.calls()).isEqualTo(2);
			assertThat(reason()).isEqualTo(StopReason.INTERRUPTED);
			assertThat(report()).hasCauseInstanceOf(InterruptedException.class)
				.hasMessage("Stopped after 2 of 4 attempts in 200 ms: INTERRUPTED, the thread was interrupted while "
						+ "waiting (policy orders; waits 100 ms, 200 ms; attempts 0 ms, 0 ms)");
			assertThat(recorder().lines("waited")).hasSize(2);
		}

		@Test
		void beforeWaitingThrowsTheLastFailure() {
			ScriptedOperation<String> interrupting = ScriptedOperation.<String>script().does(() -> {
				Thread.currentThread().interrupt();
				throw this.failure;
			});
			assertThatThrownBy(() -> retry(policy()).call(interrupting)).isSameAs(this.failure);
			assertThat(Thread.interrupted()).isTrue();
			assertThat(interrupting.calls()).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.INTERRUPTED);
		}

		@Test
		void inTheSystemsTimeEndsEvenAWaitOfNothing() {
			Retry retry = Retry
				.builder(policy().shape(Shape.fixed(Duration.ZERO)).maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS).build())
				.listener(listener())
				.build();
			Thread.currentThread().interrupt();
			assertThatThrownBy(() -> retry.call(this.operation)).isSameAs(this.failure);
			assertThat(Thread.interrupted()).isTrue();
			assertThat(this.operation.calls()).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.INTERRUPTED);
		}

		@Test
		void ofTheOperationIsThrownWithTheFlagSet() {
			InterruptedException interruption = new InterruptedException();
			ScriptedOperation<String> interrupted = ScriptedOperation.<String>script().fails(interruption);
			assertThatThrownBy(() -> retry(policy().retryOn(Exception.class)).call(interrupted)).isSameAs(interruption);
			assertThat(Thread.interrupted()).isTrue();
			assertThat(interrupted.calls()).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.INTERRUPTED);
			assertThat(recorder().lines()).containsExactly("attempt 1 cancelled 0ms", "call interrupted 0ms");
		}

		@Test
		void whilePollingReturnsTheLastResult() throws Exception {
			time().interruptSleep(1);
			Retry retry = retry(policy().until((result, context) -> false));
			assertThat(retry.call(ScriptedOperation.script().returns("running"))).isEqualTo("running");
			assertThat(Thread.interrupted()).isTrue();
			assertThat(reason()).isEqualTo(StopReason.INTERRUPTED);
		}

	}

	@Test
	void deadlineCountsTheTimeOfListeners() {
		Retry retry = builder(policy().maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS).deadline(Duration.ofSeconds(1)))
			.listener(Listeners.onRetry((event) -> time().advance(Duration.ofMillis(500))))
			.build();
		ScriptedOperation<String> operation = ScriptedOperation.<String>script().fails(new IOException());
		assertThatThrownBy(() -> retry.call(operation)).isInstanceOf(IOException.class);
		assertThat(operation.calls()).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 1, 99, 100, 150, 299, 300, 699, 700, 1000 })
	void tickerMayWrapAtAnyMoment(long millis) {
		VirtualTime wrapping = VirtualTime.wrappingAfter(Duration.ofMillis(millis));
		ScriptedOperation<String> operation = ScriptedOperation.<String>script()
			.fails(1, IOException::new)
			.taking(Duration.ofMillis(1), wrapping);
		Retry retry = builder(policy().maxAttempts(9).deadline(Duration.ofSeconds(1))).time(wrapping).build();
		assertThatThrownBy(() -> retry.call(operation)).isInstanceOf(IOException.class);
		assertThat(wrapping.delays()).containsExactly(Duration.ofMillis(100), Duration.ofMillis(200),
				Duration.ofMillis(400));
		assertThat(report().elapsed()).isEqualTo(Duration.ofMillis(704));
		assertThat(reason()).isEqualTo(StopReason.DEADLINE);
	}

	@Test
	void tenThousandFailuresGrowNoStackAndNoStory() throws Exception {
		int[] depth = new int[2];
		int[] calls = new int[1];
		Retry retry = builder(policy().maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS)).build();
		assertThat(retry.call(() -> {
			int call = ++calls[0];
			if (call == 2 || call == 10_001) {
				depth[call / 10_001] = new Throwable().getStackTrace().length;
			}
			if (call <= 10_000) {
				throw new StacklessException();
			}
			return "done";
		})).isEqualTo("done");
		assertThat(calls[0]).isEqualTo(10_001);
		assertThat(depth[1]).isEqualTo(depth[0]).isPositive();
		assertThat(time().delays()).hasSize(10_000);
		assertThat(time().delays().get(9_999)).isEqualTo(Duration.ofSeconds(10));
	}

	@Nested
	class Story {

		@Test
		void isNotCarriedByAnExceptionThatCannot() {
			StacklessException failure = new StacklessException();
			assertThatThrownBy(() -> retry(policy()).call(ScriptedOperation.script().fails(failure))).isSameAs(failure);
			assertThat(failure.getSuppressed()).isEmpty();
			assertThat(report().failure()).isSameAs(failure);
		}

		@Test
		void keepsWhatTheFailureSuppressedItself() {
			IOException failure = new IOException();
			IOException closing = new IOException("closing");
			failure.addSuppressed(closing);
			assertThatThrownBy(() -> retry(policy()).call(ScriptedOperation.script().fails(failure))).isSameAs(failure);
			assertThat(failure.getSuppressed()).containsExactly(closing, report());
		}

	}

	@SuppressWarnings("serial") // never serialized
	static final class StacklessException extends RuntimeException {

		StacklessException() {
			super("stackless", null, false, false);
		}

	}

}
