package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.delay.Jitter;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.HookedObserver;
import dev.backoff.fixture.RecordingObserver;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What an observer is told and what is open meanwhile, beside the drivers' contract. */
class CallObserverTests extends CallFixture {

	private final RecordingObserver observer = new RecordingObserver();

	private final List<String> seen = new ArrayList<>();

	private int failures;

	private RetryBuilder retry() {
		return unobserved().observer(this.observer);
	}

	private RetryBuilder unobserved() {
		return builder(policy().maxAttempts(3));
	}

	private RecordingObserver observer() {
		return this.observer;
	}

	private void failFirst(int failures) {
		this.failures = failures;
	}

	private void note(String what) {
		this.seen.add(what + " in " + this.observer.current());
	}

	private void assertTold(String... lines) {
		assertThat(this.observer.lines()).containsExactly(lines);
	}

	private void assertSeen(String... lines) {
		assertThat(this.seen).containsExactly(lines);
	}

	private String work() throws IOException {
		note("work");
		if (this.failures-- > 0) {
			throw new IOException("down");
		}
		return "done";
	}

	/* Of waits that end and of retries, no call in particular is told. */
	private CallRecorder scopes() {
		return new RecordingRecorder((line) -> {
			String what = line.replaceFirst(" .*", "");
			if (!List.of("waited", "retry").contains(what)) {
				note(what);
			}
		});
	}

	@Nested
	class KeptCalls {

		private ResumedCall.Result attempt(Retry retry, int attempts) {
			ResumedCall kept = new ResumedCall("k-1", 7, attempts, Duration.ofHours(1), null, Duration.ZERO, false, 0,
					null, null);
			return retry.<Object, String, IOException>attemptOn(kept, "context", (context, number) -> work(),
					(context, report) -> {
						note("recovery");
						return "recovered";
					});
		}

		@Test
		void areObservedByTheirKeyFromTheirStoringOn() {
			failFirst(1);
			Retry retry = retry().recorder(scopes()).build();
			retry.stored("k-1");
			assertThat(attempt(retry, 0)).isInstanceOf(ResumedCall.Again.class);
			assertThat(attempt(retry, 1)).isEqualTo(new ResumedCall.Done(false));
			assertTold("call k-1 kept, attempt 0", "call k-1 kept, attempt 1", "attempt 1 begins",
					"attempt 1 ends transient IOException", "wait 100ms policy", "call k-1 kept, attempt 2",
					"attempt 2 begins", "attempt 2 ends success", "call ends succeeded after 2 none");
			assertSeen("work in attempt 1", "attempt in attempt 1", "waiting in call", "work in attempt 2",
					"attempt in attempt 2", "call in call");
		}

		@Test
		void recoverInTheirScope() {
			failFirst(1);
			assertThat(attempt(retry().build(), 2)).isEqualTo(new ResumedCall.Done(true));
			assertSeen("work in attempt 3", "recovery in call");
			assertThat(observer().lines()).last().isEqualTo("call ends attempts_exhausted after 3 done");
		}

		@Test
		void areLeftAloneByAnObserverThatDoesNotAskForThem() {
			List<String> told = new ArrayList<>();
			CallObserver other = (policy, method) -> {
				told.add("call begins");
				return null;
			};
			Retry retry = unobserved().observer(other).build();
			retry.stored("k-1");
			assertThat(attempt(retry, 0)).isEqualTo(new ResumedCall.Done(false));
			assertThat(told).isEmpty();
		}

	}

	@Nested
	class BlockingCalls {

		@Test
		void areObservedAttemptByAttempt() throws IOException {
			failFirst(2);
			retry().recorder(scopes()).build().call(() -> work());
			assertTold("call begins", "attempt 1 begins", "attempt 1 ends transient IOException", "wait 100ms policy",
					"attempt 2 begins", "attempt 2 ends transient IOException", "wait 200ms policy", "attempt 3 begins",
					"attempt 3 ends success", "call ends succeeded after 3 none");
			assertSeen("work in attempt 1", "attempt in attempt 1", "waiting in call", "work in attempt 2",
					"attempt in attempt 2", "waiting in call", "work in attempt 3", "attempt in attempt 3",
					"call in call");
		}

		@Test
		void endAfterTheirRecovery() throws IOException {
			failFirst(3);
			retry().recorder(scopes()).build().<String, IOException>call(() -> work(), (operation, report) -> {
				note("recovery");
				return "recovered";
			});
			assertThat(observer().lines()).endsWith("attempt 3 ends transient IOException",
					"call ends attempts_exhausted after 3 done");
			assertSeen("work in attempt 1", "attempt in attempt 1", "waiting in call", "work in attempt 2",
					"attempt in attempt 2", "waiting in call", "work in attempt 3", "attempt in attempt 3",
					"call in call", "recovery in call", "recovered in call");
		}

		@Test
		void endWithWhatTheirCallerGets() {
			failFirst(3);
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> retry().build().call(() -> work()));
			assertThat(observer().lines()).endsWith("call ends attempts_exhausted after 3 none IOException");
			assertThat(observer().running()).isZero();
		}

		@Test
		void areObservedWithoutAnAttempt() {
			CircuitBreaker breaker = CircuitBreaker.builder("gateway").time(time()).build();
			breaker.open();
			assertThatExceptionOfType(CircuitOpenException.class)
				.isThrownBy(() -> retry().breaker(breaker).build().call(() -> work()));
			assertTold("call begins", "call ends breaker_open after 0 none CircuitOpenException");
		}

		@Test
		void areObservedWithATimeout() throws IOException {
			builder(policy().attemptTimeout(Duration.ofSeconds(1))).observer(observer()).build().call(() -> work());
			assertSeen("work in attempt 1");
			assertThat(observer().open()).isZero();
		}

		@Test
		void areLeftAloneIfTheObserverWants() throws IOException {
			failFirst(2);
			unobserved().observer((policy, method) -> null).build().call(() -> work());
			assertSeen("work in nothing", "work in nothing", "work in nothing");
			assertThat(listener().hookFailures()).isEmpty();
		}

		@Test
		void closeTheirScopesAfterAnError() {
			assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> retry().build().call(() -> {
				throw new StackOverflowError();
			}));
			assertThat(observer().open()).isZero();
			assertThat(observer().lines()).endsWith("attempt 1 ends error StackOverflowError",
					"call ends not_retryable after 1 none StackOverflowError");
		}

	}

	@Nested
	class AsynchronousCalls {

		private final List<CompletableFuture<String>> stages = new ArrayList<>();

		private CompletableFuture<String> newStage() {
			note("start");
			CompletableFuture<String> stage = new CompletableFuture<>();
			this.stages.add(stage);
			return stage;
		}

		@Test
		void areOpenWhileAnAttemptIsStartedAndItsEndRecorded() {
			CompletableFuture<String> result = retry().recorder(scopes()).build().callAsync(this::newStage);
			assertThat(observer().current()).isEqualTo("nothing");
			assertThat(observer().running()).isEqualTo(2);
			this.stages.get(0).completeExceptionally(new IOException("down"));
			assertThat(observer().running()).isEqualTo(1);
			time().runAll();
			CompletableFuture<String> follower = result.whenComplete((value, ex) -> note("caller"));
			this.stages.get(1).complete("done");
			assertThat(follower).isCompletedWithValue("done");
			assertTold("call begins", "attempt 1 begins", "attempt 1 ends transient IOException", "wait 100ms policy",
					"attempt 2 begins", "attempt 2 ends success", "call ends succeeded after 2 none");
			assertSeen("start in attempt 1", "attempt in attempt 1", "waiting in call", "start in attempt 2",
					"attempt in attempt 2", "call in call", "caller in nothing");
		}

		@Test
		void endWhenTheyAreCancelled() {
			CompletableFuture<String> running = retry().build().callAsync(this::newStage);
			running.cancel(true);
			assertThat(observer().lines()).endsWith("attempt 1 ends cancelled CancellationException",
					"call ends cancelled after 1 none CancellationException");
			CompletableFuture<String> waiting = retry().build().callAsync(this::newStage);
			this.stages.get(1).completeExceptionally(new IOException("down"));
			waiting.cancel(true);
			assertThat(observer().lines()).endsWith("wait 100ms policy",
					"call ends cancelled after 1 none CancellationException");
			assertThat(observer().running()).isZero();
			assertThat(observer().mistakes()).isEmpty();
		}

		@Test
		void endWithTheApplication() {
			CallRegistry calls = new CallRegistry();
			CompletableFuture<String> result = retry().calls(calls).build().callAsync(this::newStage);
			this.stages.get(0).completeExceptionally(new IOException("down"));
			calls.shutDown();
			assertThat(result).isCompletedExceptionally();
			assertThat(observer().lines()).endsWith("call ends shutdown after 1 none IOException");
			assertThat(observer().running()).isZero();
		}

	}

	@Nested
	class SeveralObservers {

		private final List<String> told = new ArrayList<>();

		@Test
		void areToldInTheirOrder() throws Exception {
			failFirst(1);
			toldOf(this.told).call(() -> work());
			assertThat(this.told).isEqualTo(told("call begins", "attempt begins", "attempt opens", "attempt closes",
					"attempt opens", "attempt closes", "attempt ends", "wait begins", "call opens", "call closes",
					"attempt begins", "attempt opens", "attempt closes", "attempt opens", "attempt closes",
					"attempt ends", "call opens", "call closes", "call opens", "call closes", "call ends"));
		}

		/* The second one closes before the first. */
		private static List<String> told(String... places) {
			return Arrays.stream(places)
				.flatMap((place) -> place.endsWith(" closes") ? Stream.of("2 " + place, "1 " + place)
						: Stream.of("1 " + place, "2 " + place))
				.toList();
		}

		@Test
		void areToldTheSameOfAsynchronousCalls() throws Exception {
			failFirst(1);
			CompletableFuture<String> result = toldOf(this.told)
				.callAsync(() -> CompletableFuture.completedFuture(work()));
			time().runAll();
			assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo("done");
			assertThat(this.told).filteredOn((line) -> line.startsWith("1"))
				.isEqualTo(this.told.stream()
					.filter((line) -> line.startsWith("2"))
					.map((line) -> "1" + line.substring(1))
					.toList())
				.contains("1 wait begins")
				.endsWith("1 call ends");
		}

		private static CallObserver teller(String name, List<String> told) {
			return new HookedObserver((place) -> told.add(name + " " + place));
		}

		private Retry toldOf(List<String> told) {
			return unobserved().observer(teller("1", told)).observer(teller("2", told)).build();
		}

	}

	@Test
	void anObserverThatThrowsFailsNoCall() throws Exception {
		for (String here : List.of("call begins", "call opens", "call closes", "attempt begins", "attempt opens",
				"attempt closes", "attempt ends", "wait begins", "call ends")) {
			listener().clear();
			this.failures = 2;
			assertThat(retry().observer(throwing(here)).build().call(this::work)).as(here).isEqualTo("done");
			this.failures = 2;
			CompletableFuture<String> result = retry().observer(throwing(here))
				.build()
				.callAsync(() -> CompletableFuture.completedFuture(work()));
			time().runAll();
			assertThat(result.get(60, TimeUnit.SECONDS)).as(here).isEqualTo("done");
			assertThat(listener().hookFailures()).as(here)
				.isNotEmpty()
				.allSatisfy((event) -> assertThat(event.hook()).isEqualTo("observer"));
			assertThat(this.observer.running()).as("the observer before it").isZero();
			assertThat(this.observer.mistakes()).isEmpty();
		}
	}

	private CallObserver throwing(String place) {
		return new HookedObserver((here) -> {
			if (here.equals(place)) {
				throw new IllegalStateException("observer");
			}
		});
	}

	@Nested
	class CallsInside {

		private final List<String> told = Collections.synchronizedList(new ArrayList<>());

		private Retry retry(String name, String... observers) {
			RetryBuilder builder = Retry.builder(RetryPolicy.builder(name).jitter(Jitter.none()).build())
				.time(time())
				.executor(Runnable::run);
			for (String observer : observers) {
				builder.observer((policy, method) -> new Named(observer + policy, this.told));
			}
			return builder.build();
		}

		@Test
		void knowThoseAroundThemFromTheInnermostOutwards() {
			Retry inner = retry("inner", "a-");
			Retry middle = retry("middle", "a-");
			retry("outer", "a-").run(() -> middle.run(() -> inner.run(() -> {
			})));
			assertThat(this.told).containsExactly("a-middle in a-outer", "a-inner in a-middle", "a-inner in a-outer");
		}

		@Test
		void knowThoseAroundACallThatIsNotObserved() {
			Retry inner = retry("inner", "a-");
			Retry middle = retry("middle");
			retry("outer", "a-").run(() -> middle.run(() -> inner.run(() -> {
			})));
			assertThat(this.told).containsExactly("a-inner in a-outer");
		}

		@Test
		void areToldByEachObserverOfEachObserver() {
			Retry inner = retry("inner", "a-", "b-");
			retry("outer", "b-", "c-").run(() -> inner.run(() -> {
			}));
			assertThat(this.told).containsExactly("a-inner in b-outer", "b-inner in b-outer", "a-inner in c-outer",
					"b-inner in c-outer");
		}

		@Test
		void areToldThatTheyAreAsynchronous() {
			Retry inner = retry("inner", "a-", "b-");
			retry("outer", "a-").callAsync(() -> inner.callAsync(() -> CompletableFuture.completedFuture("done")))
				.join();
			assertThat(this.told).containsExactly("a-outer is asynchronous", "a-inner in a-outer", "b-inner in a-outer",
					"a-inner is asynchronous", "b-inner is asynchronous");
		}

		@Test
		void knowThatOfAContextOnAnotherThread() throws Exception {
			Retry inner = retry("inner", "a-");
			Retry middle = retry("middle");
			retry("outer", "a-").<Object, Exception>call(() -> middle.<Object, Exception>call(() -> {
				RetryContext context = RetryContext.capture();
				Thread thread = new Thread(context.wrap(() -> inner.run(() -> {
				})));
				thread.start();
				thread.join();
				return "done";
			}));
			assertThat(this.told).containsExactly("a-inner in a-outer");
		}

		@Test
		void areFoundByWorkThatIsNoCall() {
			RetryContext.tellAround(new Named("work", this.told));
			retry("outer", "a-").run(() -> RetryContext.tellAround(new Named("work", this.told)));
			assertThat(this.told).containsExactly("work in a-outer");
		}

		@Test
		void knowNoneAfterItsEndAndNoneThatIsHidden() {
			Retry inner = retry("inner", "a-");
			retry("outer", "a-").run(() -> {
			});
			inner.run(() -> {
			});
			retry("outer", "a-").run(() -> {
				try (RetryContext.Scope hidden = RetryContext.none().open()) {
					assertThat(hidden).isNotNull();
					inner.run(() -> {
					});
				}
			});
			assertThat(this.told).isEmpty();
		}

		@Test
		void areMadeThoughTheirObserverThrows() {
			Retry outer = retry("outer", "a-");
			Retry inner = Retry.builder(RetryPolicy.builder("inner").build())
				.observer((policy, method) -> new Named("inner", this.told) {

					@Override
					public void isInside(CallObserver.ObservedCall around) {
						throw new IllegalStateException("on purpose");
					}

				})
				.build();
			assertThat(outer.<String, RuntimeException>call(() -> inner.call(() -> "done"))).isEqualTo("done");
		}

	}

	/** Tells what is around it. */
	private static class Named implements CallObserver.ObservedCall, CallObserver.ObservedAttempt {

		private final String name;

		private final List<String> told;

		Named(String name, List<String> told) {
			this.name = name;
			this.told = told;
		}

		@Override
		public void isInside(CallObserver.ObservedCall around) {
			this.told.add(this.name + " in " + around);
		}

		@Override
		public void isAsynchronous() {
			this.told.add(this.name + " is asynchronous");
		}

		@Override
		public CallObserver.Scope open() {
			return () -> {
			};
		}

		@Override
		public CallObserver.ObservedAttempt attemptBegins(int number) {
			return this;
		}

		@Override
		public void waitBegins(DelaySource source, long nanos) {
		}

		@Override
		public void ends(AttemptOutcome outcome, @Nullable Throwable failure) {
		}

		@Override
		public void ends(StopReason reason, int attempts, RetryEvent.RecoveryOutcome recovery,
				@Nullable Throwable thrown) {
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

}
