package dev.backoff;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.ScriptedOperation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RecoveryTests extends CallFixture {

	@Nested
	class Accepted {

		@Test
		void returnsWhatItReturns() throws Exception {
			AtomicInteger recoveries = new AtomicInteger();
			ScriptedOperation<String> operation = failing();
			String result = retry(policy()).call(operation, (context, stopped) -> {
				recoveries.incrementAndGet();
				assertThat(context).isSameAs(operation);
				assertThat(stopped.failure()).isSameAs(failure());
				assertThat(stopped.reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
				assertThat(Attempt.isRunning()).isFalse();
				return "recovered";
			});
			assertThat(result).isEqualTo("recovered");
			assertThat(recoveries).hasValue(1);
			assertThat(operation.calls()).isEqualTo(4);
			assertThat(recorder().lines()).endsWith("call attempts_exhausted 700ms", "recovered done");
			assertThat(stop().recovery()).isEqualTo(RetryEvent.RecoveryOutcome.DONE);
			assertThat(stop().thrown()).isNull();
		}

		@Test
		void followsARefusalTooAndMayReturnNull() {
			assertThat(retry(policy()).<String, RuntimeException>call(() -> {
				throw new IllegalArgumentException();
			}, (context, stopped) -> null)).isNull();
			assertThat(stop().report().reason()).isEqualTo(StopReason.NOT_RETRYABLE);
		}

		@Test
		void followsABadResult() throws Exception {
			String last = new String("bad");
			Retry retry = retry(policy().retryWhen((result, context) -> true));
			assertThat(retry.call(ScriptedOperation.<String>script().returns(last), (context, stopped) -> {
				assertThat(stopped.lastResult()).isSameAs(last);
				assertThat(stopped.failure()).isNull();
				return "recovered";
			})).isEqualTo("recovered");
		}

		@Test
		void takesAContext() {
			Integer length = retry(policy()).<String, Integer, RuntimeException>callOn("context", (context, number) -> {
				throw new IllegalStateException();
			}, (Object context, RetriesStoppedException stopped) -> context.toString().length());
			assertThat(length).isEqualTo(7);
		}

	}

	@Nested
	class NotAsked {

		@Test
		void afterASuccess() throws Exception {
			assertThat(retry(policy()).call(ScriptedOperation.<String>script().returns("done"), unwanted()))
				.isEqualTo("done");
			assertThat(retry(policy()).call(ScriptedOperation.<String>script().fails(new IOException()).returns("done"),
					unwanted()))
				.isEqualTo("done");
		}

		@Test
		void afterAnInterruption() {
			time().interruptSleep(1);
			assertThatThrownBy(() -> retry(policy()).call(failing(), unwanted())).isSameAs(failure());
			assertThat(Thread.interrupted()).isTrue();
		}

		@Test
		void afterAnError() {
			for (Throwable thrown : List.of(new AssertionError(), new OutOfMemoryError(),
					new ExecutionException(new AssertionError()))) {
				assertThatThrownBy(
						() -> retry(policy()).call(ScriptedOperation.<String>script().fails(thrown), unwanted()))
					.isSameAs(thrown);
				assertThat(thrown.getSuppressed()).hasSize(Outcome.isFatal(thrown) ? 0 : 1);
			}
			assertThat(recorder().lines("recovered")).isEmpty();
		}

		@Test
		void ifItDoesNotAccept() {
			assertThatThrownBy(() -> retry(policy()).call(failing(),
					accepting((stopped) -> stopped.failure() instanceof IllegalStateException)))
				.isSameAs(failure());
			assertThat(stop().recovery()).isEqualTo(RetryEvent.RecoveryOutcome.NONE);
			assertThat(stop().thrown()).isSameAs(failure());
		}

		@Test
		void ifItsOwnQuestionThrows() {
			assertThatThrownBy(() -> retry(policy()).call(failing(), accepting((stopped) -> {
				throw new AssertionError("bug");
			}))).isSameAs(failure());
			assertThat(listener().hookFailures()).extracting(RetryEvent.HookFailed::hook).containsExactly("recovery");
		}

		private static Recovery<Operation<String, Exception>, String, Exception> accepting(
				Predicate<RetriesStoppedException> accepted) {
			return new Recovery<>() {

				@Override
				public boolean accepts(RetriesStoppedException stopped) {
					return accepted.test(stopped);
				}

				@Override
				public String recover(Operation<String, Exception> context, RetriesStoppedException stopped) {
					return "recovered";
				}

			};
		}

		private Recovery<Operation<String, Exception>, String, Exception> unwanted() {
			return (context, stopped) -> {
				throw new IllegalStateException("recovered from " + stopped);
			};
		}

	}

	@Nested
	class Failed {

		@Test
		void throwsWhatItThrowsWithTheOriginalSuppressed() {
			IllegalStateException own = new IllegalStateException("own");
			assertThatThrownBy(() -> recover(own)).isSameAs(own);
			assertThat(own.getSuppressed()).containsExactly(failure());
			assertThat(failure().getSuppressed()).containsExactly(stop().report());
			assertThat(recorder().lines("recovered")).containsExactly("recovered failed");
			assertThat(stop().recovery()).isEqualTo(RetryEvent.RecoveryOutcome.FAILED);
			assertThat(stop().thrown()).isSameAs(own);
		}

		@Test
		void mayThrowTheOriginalAgain() {
			assertThatThrownBy(() -> recover(failure())).isSameAs(failure());
			assertThat(failure().getSuppressed()).containsExactly(stop().report());
			assertThatThrownBy(() -> recover(new IllegalStateException(new IOException(failure()))));
			assertThat(recorder().lines("recovered")).containsExactly("recovered rethrown", "recovered rethrown");
			assertThat(stop().recovery()).isEqualTo(RetryEvent.RecoveryOutcome.RETHROWN);
		}

		@Test
		void mayThrowTheStory() {
			assertThatThrownBy(() -> retry(policy()).<String, Exception>call(failing(), (context, stopped) -> {
				throw stopped;
			})).isSameAs(report()).hasNoSuppressedExceptions();
			assertThat(stop().recovery()).isEqualTo(RetryEvent.RecoveryOutcome.RETHROWN);
		}

		@Test
		void carriesTheStoryAfterABadResult() {
			IllegalStateException own = new IllegalStateException("own");
			Retry retry = retry(policy().retryWhen((result, context) -> true));
			assertThatThrownBy(
					() -> retry.call(ScriptedOperation.<String>script().returns("bad"), (context, stopped) -> {
						throw own;
					}))
				.isSameAs(own);
			assertThat(own.getSuppressed()).containsExactly(stop().report());
		}

		@Test
		void doesNotAccumulateOnASharedInstance() {
			assertThat(suppressedAfterAHundredCalls(IOException::new)).hasSize(1);
			assertThat(suppressedAfterAHundredCalls(BlockingDriverTests.StacklessException::new))
				.as("failures that carry no report")
				.hasSizeLessThan(10);
		}

		private Throwable[] suppressedAfterAHundredCalls(Supplier<Exception> failure) {
			IllegalStateException shared = new IllegalStateException("shared");
			for (int call = 0; call < 100; call++) {
				ScriptedOperation<String> operation = ScriptedOperation.<String>script().fails(1, failure);
				assertThatThrownBy(() -> retry(policy().maxAttempts(1)).call(operation, (context, stopped) -> {
					throw shared;
				})).isSameAs(shared);
			}
			return shared.getSuppressed();
		}

		@Test
		void leavesAFatalErrorUntouched() {
			OutOfMemoryError fatal = new OutOfMemoryError();
			assertThatThrownBy(() -> retry(policy()).<String, Exception>call(failing(), (context, stopped) -> {
				throw fatal;
			})).isSameAs(fatal).hasNoSuppressedExceptions();
		}

		private void recover(Exception thrown) throws Exception {
			retry(policy()).<String, Exception>call(failing(), (context, stopped) -> {
				throw thrown;
			});
		}

	}

	private RetryEvent.Stopped stop() {
		return listener().stopped().get(0);
	}

}
