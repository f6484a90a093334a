package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.Hostile;
import dev.backoff.fixture.Listeners;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;
import dev.backoff.time.RetryTime.WakeSignal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Listeners, conditions, recoveries and time that throw or call back. */
class FailingCallbacksTests extends CallFixture {

	@Nested
	class Reentrancy {

		@ParameterizedTest
		@ValueSource(booleans = { true, false })
		@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
		void aListenerIsNotToldOfTheCallsItMakes(boolean beforeARetry) {
			AtomicInteger told = new AtomicInteger();
			Retry[] alerts = new Retry[1];
			Runnable alert = () -> {
				told.incrementAndGet();
				assertThatThrownBy(() -> alerts[0].call(() -> {
					throw new IOException("the alert fails too");
				})).isInstanceOf(IOException.class);
			};
			alerts[0] = Retry.builder(policy().build())
				.time(time())
				.listener(beforeARetry ? Listeners.onRetry((event) -> alert.run())
						: Listeners.onStop((event) -> alert.run()))
				.listener(listener())
				.build();
			assertThatThrownBy(() -> alerts[0].call(failing())).isSameAs(failure());
			assertThat(told).hasValue(beforeARetry ? 3 : 1);
			assertThat(listener().stopped()).hasSize(1 + told.get());
			assertThat(listener().hookFailures()).isEmpty();
		}

		@Test
		void aClassifierMayMakeCallsOfItsOwn() throws Exception {
			Retry inner = retry(policy());
			FailureClassifier classifier = (failure) -> {
				assertThatThrownBy(() -> inner.call(() -> {
					throw new IOException("lookup");
				})).hasMessage("lookup");
				return null;
			};
			ScriptedOperation<String> operation = ScriptedOperation.<String>script()
				.fails(2, () -> new IOException("down"))
				.returns("done");
			assertThat(retry(policy().classifiers(List.of(classifier))).call(operation)).isEqualTo("done");
			assertThat(operation.attempts()).extracting(Attempt::number).containsExactly(1, 2, 3);
			assertThat(Attempt.isRunning()).isFalse();
		}

		@Test
		void aRecoveryMayCallWhatItRecovers() throws Exception {
			Retry retry = retry(policy());
			String result = retry.<String, Exception>call(() -> {
				throw new IOException("down");
			}, (context, stopped) -> {
				assertThat(Attempt.isRunning()).isFalse();
				return retry.call(() -> "standby " + Attempt.current().number());
			});
			assertThat(result).isEqualTo("standby 1");
		}

		@Test
		void anEventSeesTheAttemptItTellsOf() {
			List<String> seen = new ArrayList<>();
			Retry retry = Retry.builder(policy().build())
				.time(time())
				.listener(Listeners.onRetry((event) -> seen.add("retry " + Attempt.isRunning())))
				.listener(Listeners.onStop((event) -> seen.add("stop " + Attempt.isRunning())))
				.build();
			assertThatThrownBy(() -> retry.call(() -> {
				throw new IOException("down");
			})).hasMessage("down");
			assertThat(seen).containsExactly("retry true", "retry true", "retry true", "stop false");
		}

	}

	@Nested
	class Interruptions {

		@Test
		void thatAListenerSwallowsEndTheCall() {
			ScriptedOperation<String> operation = failing();
			Retry retry = Retry.builder(policy().build()).time(time()).listener(Listeners.onRetry((event) -> {
				throw Hostile.<RuntimeException>sneak(new InterruptedException("in the listener"));
			})).listener(listener()).build();
			assertThatThrownBy(() -> retry.call(operation)).isSameAs(failure());
			assertThat(Thread.interrupted()).isTrue();
			assertThat(operation.calls()).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.INTERRUPTED);
		}

		@Test
		void thatAClassifierSwallowsLeaveTheFlag() {
			Retry retry = retry(policy().classifiers(List.of((failure) -> {
				throw Hostile.<RuntimeException>sneak(new InterruptedException("in the classifier"));
			})));
			assertThatThrownBy(() -> retry.call(failing())).isSameAs(failure());
			assertThat(Thread.interrupted()).isTrue();
		}

	}

	@Nested
	class Time {

		@ParameterizedTest
		@CsvSource({ "blocking, 0, 1", "asynchronous, 0, 1", "kept, 0, 1", "blocking, 1, 1", "asynchronous, 1, 1",
				"kept, 1, 1", "blocking, 2, 0", "asynchronous, 2, 0" })
		void thatCannotBeReadOnceRepeatsNoSuccessAndKeepsNoPermit(String driver, int failures, int probes) {
			int reading = 0;
			boolean reached;
			do {
				VirtualTime time = new VirtualTime();
				BrokenTime broken = new BrokenTime(time, ++reading);
				CircuitBreaker breaker = CircuitBreaker.builder("orders")
					.settings(BreakerSettings.builder().probes(1).build())
					.time(time)
					.build();
				breaker.open();
				time.advance(Duration.ofMinutes(1));
				// an Error says nothing about the dependency, so that its probe is given
				// back
				Throwable failure = (probes > 0) ? new AssertionError("down") : failure();
				Retry retry = Retry.builder(policy().concurrency(1).maxWaiting(0).build())
					.time(broken)
					.executor(Runnable::run)
					.breaker((probes > 0) ? breaker : null)
					.build();
				int[] calls = new int[1];
				Operation<Integer, Throwable> operation = () -> {
					if (++calls[0] <= failures) {
						throw failure;
					}
					return calls[0];
				};
				call(driver, retry, operation, time);
				reached = broken.isReached();
				assertThat(calls[0]).as("reading %d", reading).isLessThanOrEqualTo(failures + 1);
				if (reached) {
					String next = retry.call(() -> "has its permits");
					assertThat(next).isNotNull();
				}
			}
			while (reached);
			assertThat(reading).as("readings and one").isGreaterThan(2);
		}

		private static void call(String driver, Retry retry, Operation<Integer, Throwable> operation,
				VirtualTime time) {
			if (driver.equals("asynchronous")) {
				CompletableFuture<Integer> result = retry.callAsync(() -> {
					try {
						return CompletableFuture.completedFuture(operation.run());
					}
					catch (Throwable ex) {
						return CompletableFuture.failedFuture(ex);
					}
				});
				time.runAll();
				assertThat(result).isDone();
				return;
			}
			ResumedCall kept = new ResumedCall("key", 1, 0, Duration.ZERO, null, Duration.ZERO, false, 0, null, null);
			Throwable unused = catchThrowable(() -> {
				Object unusedResult = driver.equals("kept")
						? retry.attemptOn(kept, operation, (context, number) -> context.run(), null)
						: retry.call(operation);
			});
		}

		@Test
		void thatReturnsNothingToCancelLeavesTheCallAlone() throws Exception {
			RetryTime system = RetryTime.system();
			RetryTime time = new ScheduledTime((task, nanos) -> {
				system.schedule(task, nanos);
				return null;
			});
			Retry limited = Retry.builder(policy().attemptTimeout(Duration.ofMinutes(1)).build()).time(time).build();
			assertThat(limited.<String, Exception>call(() -> "ok")).isEqualTo("ok");
			Retry retry = Retry.builder(policy().base(Duration.ofMillis(1)).build()).time(time).build();
			IOException failure = new IOException("down");
			assertThat(retry.callAsync(() -> CompletableFuture.failedFuture(failure)))
				.failsWithin(Duration.ofMinutes(1));
		}

		@Test
		void thatSchedulesAndThenFailsLeavesNoInterrupt() throws Exception {
			RetryTime time = new ScheduledTime((task, nanos) -> {
				task.run();
				throw new IllegalStateException("no timer");
			});
			Retry retry = Retry.builder(policy().attemptTimeout(Duration.ofMillis(40)).build()).time(time).build();
			int[] runs = new int[1];
			assertThat(retry.<Boolean, Exception>call(() -> {
				runs[0]++;
				return Thread.currentThread().isInterrupted();
			})).isFalse();
			assertThat(runs[0]).isEqualTo(1);
			assertThat(Thread.interrupted()).isFalse();
		}

	}

	@Nested
	class AnObserverThatReturnsNull {

		@Test
		void insteadOfAnAttemptLeavesTheCallAlone() throws Exception {
			assertThat(observed(null).<String, Exception>call(() -> "ok")).isEqualTo("ok");
			assertThat(listener().hookFailures()).isNotEmpty();
		}

		@Test
		void insteadOfAScopeLeavesTheCallAlone() throws Exception {
			CallObserver.ObservedAttempt attempt = new CallObserver.ObservedAttempt() {

				@Override
				public void ends(AttemptOutcome outcome, Throwable failure) {
				}

				@Override
				public CallObserver.Scope open() {
					return null;
				}

			};
			Retry retry = observed(attempt);
			int[] runs = new int[1];
			assertThat(retry.<Integer, Exception>call(() -> ++runs[0])).isEqualTo(1);
			assertThat(retry.callAsync(() -> CompletableFuture.completedFuture("ok")).get()).isEqualTo("ok");
		}

		private Retry observed(CallObserver.ObservedAttempt attempt) {
			CallObserver.ObservedCall call = new CallObserver.ObservedCall() {

				@Override
				public CallObserver.ObservedAttempt attemptBegins(int number) {
					return attempt;
				}

				@Override
				public void waitBegins(DelaySource source, long nanos) {
				}

				@Override
				public void ends(StopReason reason, int attempts, RetryEvent.RecoveryOutcome recovery,
						Throwable thrown) {
				}

				@Override
				public CallObserver.Scope open() {
					return null;
				}

			};
			return Retry.builder(policy().build()).observer((policy, method) -> call).listener(listener()).build();
		}

	}

	/** The system's time with another timer. */
	private record ScheduledTime(BiFunction<Runnable, Long, Cancellable> timer) implements RetryTime {

		@Override
		public long nanoTime() {
			return RetryTime.system().nanoTime();
		}

		@Override
		public void sleep(long nanos) throws InterruptedException {
			RetryTime.system().sleep(nanos);
		}

		@Override
		public Cancellable schedule(Runnable task, long nanos) {
			return this.timer.apply(task, nanos);
		}

	}

	/** Another time, of which one reading throws. */
	private static final class BrokenTime implements RetryTime {

		private final RetryTime time;

		private final IllegalStateException failure = new IllegalStateException("no time");

		private final int brokenReading;

		private int readings;

		BrokenTime(RetryTime time, int brokenReading) {
			this.time = time;
			this.brokenReading = brokenReading;
		}

		boolean isReached() {
			return this.readings >= this.brokenReading;
		}

		@Override
		public long nanoTime() {
			if (++this.readings == this.brokenReading) {
				throw this.failure;
			}
			return this.time.nanoTime();
		}

		@Override
		public void sleep(long nanos) throws InterruptedException {
			this.time.sleep(nanos);
		}

		@Override
		public void sleep(long nanos, WakeSignal signal) throws InterruptedException {
			this.time.sleep(nanos, signal);
		}

		@Override
		public Cancellable schedule(Runnable task, long nanos) {
			return this.time.schedule(task, nanos);
		}

	}

}
