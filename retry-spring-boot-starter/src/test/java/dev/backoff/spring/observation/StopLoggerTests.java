package dev.backoff.spring.observation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MDC;

import dev.backoff.Operation;
import dev.backoff.OutboundRequest;
import dev.backoff.ResumedCall;
import dev.backoff.Retry;
import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.Jitter;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

class StopLoggerTests {

	private static final String SECRET = "card 4111";

	private final VirtualTime time = VirtualTime.wrappingAfter(Duration.ofNanos(7));

	private final StopLogger listener = new StopLogger(this.time, Runnable::run, () -> List::of);

	private final LogCapture log = new LogCapture(StopLogger.class);

	@AfterEach
	void closeLog() {
		this.log.close();
		// an interruption belongs to its test
		Thread.interrupted();
	}

	@Nested
	class OneLine {

		@Test
		void tellsTheWholeStory() {
			stop(retry(policy("orders").maxAttempts(3).build()),
					new UncheckedIOException(new ConnectException(SECRET)));
			assertThat(log.lines(Level.WARN)).containsExactly(
					"Stopped after 3 of 3 attempts in 330 ms: ATTEMPTS_EXHAUSTED (policy orders; waits 100 ms, 200 ms; "
							+ "attempts 10 ms, 10 ms, 10 ms); OrderService.place failed with "
							+ "java.io.UncheckedIOException caused by java.net.ConnectException");
			assertThat(LogCapture.keyValues(log.events(Level.WARN).get(0))).containsOnly(
					entry("backoff.policy", "orders"), entry("backoff.method", "OrderService.place"),
					entry("backoff.attempts", 3), entry("backoff.stop", "attempts_exhausted"),
					entry("backoff.elapsed_ms", 330L), entry("backoff.waits_ms", List.of(100L, 200L)),
					entry("backoff.attempts_ms", List.of(10L, 10L, 10L)),
					entry("backoff.failure", "java.io.UncheckedIOException caused by java.net.ConnectException"),
					entry("backoff.recover", "none"));
			assertThat(log.events(Level.WARN).get(0).getThrowableProxy()).isNull();
		}

		@Test
		void tellsAWaitThatAServerSet() {
			RetryPolicy policy = policy("orders").maxAttempts(2)
				.classifiers(List.of((failure) -> FailureClassification.throttled(RetryCause.HTTP_429)
					.withHint(Duration.ofSeconds(2))))
				.build();
			stop(Retry.builder(policy).time(time).random(() -> 0.1).listener(listener).build(),
					new IOException(SECRET));
			assertThat(log.lines(Level.WARN)).singleElement().asString().contains("; waits 2.1 s (hint); attempts");
			assertThat(log.lines(Level.DEBUG)).first()
				.asString()
				.isEqualTo(
						"Retrying orders in 2.1 s (hint) after attempt 1: http_429, java.io.IOException (policy orders)");
		}

		@Test
		void tellsOfAnEmptyBudget() {
			RetryBudget budget = RetryBudget.of("shared", new BudgetSettings(1, 0, 0), time, RetryBudget.Listener.NONE);
			stop(Retry.builder(policy("orders").build())
				.method("OrderService.place")
				.time(time)
				.budget(budget)
				.listener(listener)
				.build(), new IOException(SECRET));
			assertThat(log.lines(Level.WARN)).containsExactly(
					"Stopped after 2 of 4 attempts in 120 ms: BUDGET, the budget shared is spent (policy orders; waits 100 ms; "
							+ "attempts 10 ms, 10 ms); OrderService.place failed with java.io.IOException");
			assertThat(LogCapture.keyValues(log.events(Level.WARN).get(0))).contains(entry("backoff.attempts", 2),
					entry("backoff.stop", "budget"), entry("backoff.failure", "java.io.IOException"));
		}

		@Test
		void tellsOfABreakerThatOpened() {
			CircuitBreaker breaker = breaker(BreakerSettings.builder().minimumCalls(2));
			stop(guarded(breaker), new IOException(SECRET));
			assertThat(log.lines(Level.WARN)).containsExactly(
					"Stopped after 2 of 4 attempts in 120 ms: BREAKER_OPEN, the breaker gateway is open (policy orders; "
							+ "waits 100 ms; attempts 10 ms, 10 ms); OrderService.place failed with java.io.IOException");
		}

		@Test
		void tellsOfACallThatWasNotMade() {
			CircuitBreaker breaker = breaker(BreakerSettings.builder());
			breaker.forceOpen();
			assertThatThrownBy(() -> guarded(breaker).call(failing(new IOException(SECRET))))
				.isInstanceOf(CircuitOpenException.class);
			assertThat(log.lines(Level.WARN)).containsExactly(
					"Stopped after 0 of 4 attempts in 0 ms: BREAKER_OPEN, the breaker gateway is open (policy orders); "
							+ "OrderService.place was not called");
			assertThat(LogCapture.keyValues(log.events(Level.WARN).get(0))).containsOnly(
					entry("backoff.policy", "orders"), entry("backoff.method", "OrderService.place"),
					entry("backoff.attempts", 0), entry("backoff.stop", "breaker_open"),
					entry("backoff.elapsed_ms", 0L), entry("backoff.waits_ms", List.of()),
					entry("backoff.attempts_ms", List.of()),
					entry("backoff.failure", "dev.backoff.breaker.CircuitOpenException"),
					entry("backoff.recover", "none"));
		}

		private Retry guarded(CircuitBreaker breaker) {
			return Retry.builder(policy("orders").build())
				.method("OrderService.place")
				.time(time)
				.breaker(breaker)
				.listener(listener)
				.build();
		}

		private CircuitBreaker breaker(BreakerSettings.Builder settings) {
			return CircuitBreaker.builder("gateway").settings(settings.build()).time(time).build();
		}

		@Test
		void tellsOfAResult() {
			Retry retry = retry(policy("orders").maxAttempts(2).retryWhen((result, context) -> true).build());
			String result = retry.<String, RuntimeException>call(() -> SECRET);
			assertThat(result).isEqualTo(SECRET);
			assertThat(log.lines(Level.WARN)).containsExactly(
					"Stopped after 2 of 2 attempts in 100 ms: ATTEMPTS_EXHAUSTED (policy orders; waits 100 ms; "
							+ "attempts 0 ms, 0 ms); OrderService.place returned what was not good enough");
			assertThat(LogCapture.keyValues(log.events(Level.WARN).get(0))).doesNotContainKey("backoff.failure");
		}

		@Test
		void namesTheHostOfTheLastRequest() {
			assertThatThrownBy(() -> retry(policy("orders").maxAttempts(1).build()).call(() -> {
				OutboundRequest.begin("GET", URI.create("http://pay.example:81/cards/4111"));
				throw new IOException();
			})).isInstanceOf(IOException.class);
			assertThat(log.lines(Level.WARN)).singleElement()
				.asString()
				.contains("; last request to pay.example:81); ");
			assertThat(LogCapture.keyValues(log.events(Level.WARN).get(0)))
				.contains(entry("backoff.host", "pay.example:81"));
		}

		@Test
		void abridgesALongStory() {
			stop(retry(policy("orders").maxAttempts(10).build()), new IOException(SECRET));
			assertThat(LogCapture.keyValues(log.events(Level.WARN).get(0))).contains(entry("backoff.attempts", 10),
					entry("backoff.waits_ms", List.of(100L, 200L, 400L, 6400L, 10000L, 10000L)));
		}

		@Test
		void showsNoMessageOfAFailure() {
			stop(retry(policy("orders").maxAttempts(2).build()), new IOException(SECRET, new IOException(SECRET)));
			stop(retry(policy("orders").build()), new IllegalArgumentException(SECRET));
			recoverInVain(retry(policy("orders").maxAttempts(2).build()), new IOException(SECRET));
			assertThat(log.events()).hasSizeGreaterThan(3)
				.noneMatch((event) -> event.getFormattedMessage().contains(SECRET))
				.noneMatch((event) -> event.getKeyValuePairs().toString().contains(SECRET))
				.noneMatch((event) -> event.getThrowableProxy() != null);
		}

		@Test
		void tellsARetryAndASuccessAtDebug() {
			Retry retry = retry(policy("orders").build());
			assertThatCode(() -> retry.callOn("context", (context, number) -> {
				time.advance(Duration.ofMillis(10));
				if (number == 1) {
					throw new IOException(SECRET);
				}
				return number;
			}, null)).doesNotThrowAnyException();
			assertThat(log.lines(Level.DEBUG)).containsExactly(
					"Retrying OrderService.place in 100 ms after attempt 1: other, java.io.IOException (policy orders)",
					"Succeeded after 2 attempts in 120 ms: OrderService.place (policy orders)");
			assertThat(log.events()).hasSize(2);
		}

	}

	@Nested
	class AfterRecovery {

		@Test
		void tellsWhatItDid() {
			recover(retry(policy("orders").maxAttempts(1).build()), new IOException(SECRET));
			ILoggingEvent line = log.events(Level.WARN).get(0);
			assertThat(line.getFormattedMessage())
				.endsWith("OrderService.place failed with java.io.IOException; recovered");
			assertThat(LogCapture.keyValues(line)).contains(entry("backoff.recover", "done"));
		}

		@Test
		void tracesASwallowedFailureAtDebugOnly() {
			recover(retry(policy("orders").maxAttempts(1).build()), new IOException(SECRET));
			assertThat(log.lines(Level.DEBUG)).containsExactly("Recovered OrderService.place from this failure");
			assertThat(log.events(Level.DEBUG).get(0).getThrowableProxy().getClassName())
				.isEqualTo("java.io.IOException");
		}

		@Test
		void tellsWhatItThrew() {
			recoverInVain(retry(policy("orders").maxAttempts(1).build()), new IOException(SECRET));
			ILoggingEvent line = log.events(Level.WARN).get(0);
			assertThat(line.getFormattedMessage())
				.endsWith("failed with java.io.IOException; recovery threw java.lang.IllegalStateException");
			assertThat(LogCapture.keyValues(line)).contains(entry("backoff.recover", "failed"));
		}

	}

	@Nested
	class Levels {

		@Test
		void refusedFirstAttemptIsDebug() {
			stop(retry(policy("orders").build()), new IllegalArgumentException(SECRET));
			assertThat(log.events()).singleElement().extracting(ILoggingEvent::getLevel).isEqualTo(Level.DEBUG);
		}

		@Test
		void refusedFirstAttemptThatRecoveryHandledIsDebug() {
			recover(retry(policy("orders").build()), new IllegalArgumentException(SECRET));
			assertThat(log.lines(Level.DEBUG)).first().asString().endsWith("; recovered");
			assertThat(log.events(Level.WARN)).isEmpty();
		}

		@Test
		void refusedLaterAttemptIsWarn() {
			assertThatThrownBy(() -> retry(policy("orders").build()).callOn("context", (context, number) -> {
				throw (number == 1) ? new IOException() : new IllegalArgumentException();
			}, null)).isInstanceOf(IllegalArgumentException.class);
			assertThat(log.lines(Level.WARN)).singleElement().asString().contains(": NOT_RETRYABLE, ");
		}

		@Test
		void whatAListedTypeDoesNotReachIsWarnOnceAMethod() {
			Retry retry = retry(policy("orders").retryOn(Exception.class).build());
			for (int i = 0; i < 3; i++) {
				stop(retry, new IllegalArgumentException());
			}
			assertThat(log.lines(Level.WARN)).singleElement()
				.asString()
				.contains(
						"NOT_RETRYABLE, IllegalArgumentException is a programming error, which Exception in retryOn does "
								+ "not reach; name it in retryOn to retry")
				.endsWith("; this is said once for each method");
			assertThat(log.lines(Level.DEBUG)).hasSize(2);
		}

		@Test
		void cancellationIsDebug() {
			retry(policy("orders").build()).callAsync(CompletableFuture::new).cancel(true);
			assertThat(log.lines(Level.DEBUG)).singleElement().asString().contains(": CANCELLED, ");
			assertThat(log.events(Level.WARN)).isEmpty();
		}

		@Test
		void nestedIsInfoOnceAMethodAndThenDebug() {
			Retry inner = retry(policy("inner").maxAttempts(2).build());
			for (String method : new String[] { "Job.run", "Job.run", "Job.sweep" }) {
				Retry outer = Retry.builder(policy("outer").build())
					.method(method)
					.time(StopLoggerTests.this.time)
					.listener(StopLoggerTests.this.listener)
					.build();
				assertThatThrownBy(() -> outer.call(() -> inner.call(() -> {
					throw new IOException();
				}))).isInstanceOf(IOException.class);
			}
			assertThat(StopLoggerTests.this.log.lines(Level.WARN)).hasSize(3)
				.allMatch((line) -> line.contains("policy inner"));
			String told = "Stopped after 1 of 4 attempts in 100 ms: NESTED, the inner policy inner has already retried it "
					+ "(policy outer; attempts 100 ms); %s failed with java.io.IOException";
			String remark = "; nested: multiply would retry it here too, so that the attempts of both multiply; "
					+ "this is said once for each method";
			assertThat(StopLoggerTests.this.log.lines(Level.INFO)).containsExactly(told.formatted("Job.run") + remark,
					told.formatted("Job.sweep") + remark);
			assertThat(StopLoggerTests.this.log.lines(Level.DEBUG)).filteredOn((line) -> line.contains("NESTED"))
				.containsExactly(told.formatted("Job.run"));
		}

		@Test
		void interruptedFirstAttemptIsDebug() {
			stop(retry(policy("orders").build()), new InterruptedException());
			assertThat(log.events()).singleElement().extracting(ILoggingEvent::getLevel).isEqualTo(Level.DEBUG);
		}

		@Test
		void nothingIsBuiltForALevelThatIsOff() {
			log.logger().setLevel(Level.ERROR);
			stop(retry(policy("orders").build()), new IOException());
			log.logger().setLevel(Level.DEBUG);
			listener.close();
			assertThat(log.events()).isEmpty();
		}

	}

	/** A call of which only its keeper hears. */
	@Nested
	class AStoredCall {

		@BeforeEach
		void makeAnAttempt() {
			MDC.put(StopLogger.STORED_CALL, "id1");
			MDC.put(StopLogger.STORED_KEY, "T2");
		}

		@AfterEach
		void endTheAttempt() {
			MDC.clear();
		}

		@Test
		void warnsOfItsFirstFailureAndOfItsDeadLetter() {
			stop(retry(policy("orders").maxAttempts(3).build()), new IOException(SECRET));
			assertThat(log.lines(Level.WARN)).hasSize(2);
			assertThat(log.lines(Level.WARN).get(0)).isEqualTo("Retrying OrderService.place in 100 ms after attempt 1: "
					+ "other, java.io.IOException (policy orders); stored call id1, key T2");
			assertThat(log.lines(Level.WARN).get(1)).endsWith("java.io.IOException; dead letter id1, key T2");
		}

		@Test
		void isNoDeadLetterAfterARecovery() {
			MDC.remove(StopLogger.STORED_KEY);
			recover(retry(policy("orders").maxAttempts(2).build()), new IOException(SECRET));
			assertThat(log.lines(Level.WARN)).last().asString().endsWith("; recovered; stored call id1");
		}

		@ParameterizedTest
		@CsvSource({ "0, lost, did not end", "2, lost, did not end", "0, , was not called",
				"2, , was not called again" })
		void isNotSaidToReturnWhereNoAttemptEndedHere(int attempts, String loss, String ending) throws IOException {
			ResumedCall kept = new ResumedCall("id1", 7, attempts, Duration.ofHours(1), Duration.ZERO, Duration.ZERO,
					false, 0, loss, null);
			Object unused = retry(policy("orders").build()).<String, String, IOException>attemptOn(kept, "context",
					(context, number) -> "done", null);
			assertThat(log.lines(Level.WARN)).singleElement()
				.asString()
				.contains("; OrderService.place " + ending + "; dead letter id1");
		}

		@Test
		void warnsWherePlainCallsLeaveTheFailureToTheirCaller() {
			stop(retry(policy("orders").maxAttempts(3).build()), new IllegalArgumentException(SECRET));
			assertThat(log.lines(Level.WARN)).singleElement().asString().contains("NOT_RETRYABLE");
		}

		@Test
		void warnsOfTwentyFirstFailuresAMinuteAndCountsTheOthers() {
			Retry retry = retry(policy("orders").maxAttempts(2).build());
			for (int call = 0; call < 25; call++) {
				stop(retry, new IOException(SECRET));
			}
			assertThat(log.lines(Level.WARN)).filteredOn((line) -> line.startsWith("Retrying"))
				.hasSize(20)
				.last()
				.asString()
				.endsWith("key T2; more within this minute are only counted");
			assertThat(time.runNext()).isTrue();
			assertThat(log.lines(Level.WARN))
				.anyMatch((line) -> line.startsWith("The first attempts of 5 more stored calls failed within "));
		}

		@Test
		void isNotSaidToFailWhileAResultIsNotFinal() {
			Retry retry = retry(policy("orders").maxAttempts(2).until((result, context) -> false).build());
			Object unused = retry.call(() -> "pending");
			assertThat(log.lines(Level.WARN)).noneMatch((line) -> line.startsWith("Retrying"));
		}

	}

	@Nested
	class Hooks {

		@Test
		void failOnceAtErrorForEachHookAndMethod() {
			Retry one = retry(policy("orders").build());
			for (int i = 0; i < 3; i++) {
				listener.onHookFailure(new RetryEvent.HookFailed("orders", one.method(), "until condition",
						new IOException("detail")));
			}
			listener.onHookFailure(new RetryEvent.HookFailed("orders", "other", "until condition", new IOException()));
			listener.onHookFailure(new RetryEvent.HookFailed("orders", "other", "random source", new IOException()));
			assertThat(log.lines(Level.ERROR)).containsExactly(
					"The until condition of OrderService.place threw java.io.IOException, which was worked around (policy orders)",
					"The until condition of other threw java.io.IOException, which was worked around (policy orders)",
					"The random source of other threw java.io.IOException, which was worked around (policy orders)");
			assertThat(log.events(Level.DEBUG)).hasSize(2);
			assertThat(log.events()).allMatch((event) -> event.getThrowableProxy() != null);
		}

		@Test
		void areBusyExecutorsOnceAtWarnForEachMethod() {
			for (int i = 0; i < 2; i++) {
				listener.onHookFailure(new RetryEvent.HookFailed("orders", "OrderService.place", "executor",
						new TimeoutException("an attempt was not begun within 200 ms and has timed out")));
			}
			assertThat(log.lines(Level.WARN)).containsExactly(
					"The executor of OrderService.place is busy: an attempt was not begun within 200 ms and "
							+ "has timed out. Do the executor's threads wait for the results of such calls? (policy orders)");
			assertThat(log.events()).allMatch((event) -> event.getThrowableProxy() == null);
		}

		@Test
		void appenderThatThrowsNeverFailsACallAndOthersAreTold() {
			ThrowingAppender throwing = new ThrowingAppender();
			throwing.start();
			log.logger().addAppender(throwing);
			try {
				List<String> told = new ArrayList<>();
				Retry retry = Retry.builder(policy("orders").maxAttempts(2).build())
					.time(time)
					.listener(listener)
					.listener(new RetryListener() {

						@Override
						public void onStop(RetryEvent.Stopped event) {
							told.add(event.policy());
						}

					})
					.build();
				stop(retry, new IOException());
				assertThat(told).containsExactly("orders");
			}
			finally {
				log.logger().detachAppender(throwing);
			}
		}

	}

	@Nested
	class Storm {

		@Test
		void firstTwentyOfAMinuteComeInFullTheOthersAsOneLine() {
			log.logger().setLevel(Level.INFO);
			Retry retry = retry(policy("orders").maxAttempts(2).build());
			for (int i = 0; i < 50; i++) {
				stop(retry, new IOException());
			}
			assertThat(log.lines(Level.WARN)).hasSize(20);
			assertThat(log.lines(Level.WARN).get(18)).doesNotContain("only counted");
			assertThat(log.lines(Level.WARN).get(19)).endsWith("; more within this minute are only counted");
			// 120 ms each
			assertThat(time.runNext()).isTrue();
			assertThat(log.lines(Level.WARN)).hasSize(21);
			assertThat(log.lines(Level.WARN).get(20)).isEqualTo(
					"Stopped 30 more calls within 5.88 s, the last 54.1 s ago: ATTEMPTS_EXHAUSTED (policy orders; attempts 60; recovered 0)");
			assertThat(LogCapture.keyValues(log.events(Level.WARN).get(20))).containsOnly(
					entry("backoff.policy", "orders"), entry("backoff.stop", "attempts_exhausted"),
					entry("backoff.calls", 30L), entry("backoff.attempts", 60L), entry("backoff.recovered", 0L));
		}

		@Test
		void heldOnesComeInFullAtDebug() {
			Retry retry = retry(policy("orders").maxAttempts(1).build());
			for (int i = 0; i < 25; i++) {
				stop(retry, new IOException());
			}
			assertThat(log.events(Level.WARN)).hasSize(20);
			assertThat(log.events(Level.DEBUG)).hasSize(5);
		}

		@Test
		void policiesAndReasonsDoNotShare() {
			for (int i = 0; i < 25; i++) {
				stop(retry(policy("orders").maxAttempts(1).build()), new IOException());
				stop(retry(policy("invoices").maxAttempts(1).build()), new IOException());
				stop(retry(policy("orders").deadline(Duration.ofMillis(50)).build()), new IOException());
			}
			assertThat(log.events(Level.WARN)).hasSize(60);
		}

		@Test
		void nextStopBringsTheCountWhereNoTimerRuns() {
			storm(21);
			time.advance(Duration.ofMinutes(1));
			storm(1);
			assertThat(log.lines(Level.WARN)).hasSize(22)
				.element(20)
				.asString()
				.startsWith("Stopped 1 more call within ");
		}

		@Test
		void closingBringsTheCountAtOnceAndOnlyOnce() {
			storm(23);
			listener.close();
			listener.close();
			assertThat(log.lines(Level.WARN)).hasSize(21)
				.last()
				.asString()
				.isEqualTo(
						"Stopped 3 more calls within 0 ms, the last 0 ms ago: ATTEMPTS_EXHAUSTED (policy orders; attempts 3; recovered 0)");
		}

		@Test
		void closingLeavesNoTimerNorIsOneSetLater() {
			storm(21);
			assertThat(time.runNext()).isTrue();
			storm(21);
			listener.close();
			assertThat(time.runNext()).isFalse();
			storm(21);
			assertThat(time.runNext()).isFalse();
			listener.close();
			assertThat(log.lines(Level.WARN)).filteredOn((line) -> line.startsWith("Stopped 1 more call within "))
				.hasSize(3);
		}

		@Test
		void nothingIsLostAmongThreads() {
			log.logger().setLevel(Level.INFO);
			int threads = 8;
			int each = 1_000;
			Crowd.of(threads, (number) -> {
				Retry retry = retry(policy("orders").maxAttempts(1).build());
				for (int i = 0; i < each; i++) {
					assertThatThrownBy(() -> retry.call(() -> {
						time.advance(Duration.ofMillis(100));
						throw new IOException();
					})).isInstanceOf(IOException.class);
				}
			});
			listener.close();
			long told = 0;
			for (ILoggingEvent event : log.events(Level.WARN)) {
				Object calls = LogCapture.keyValues(event).get("backoff.calls");
				told += (calls != null) ? (Long) calls : 1;
			}
			assertThat(told).isEqualTo((long) threads * each);
		}

		private void storm(int calls) {
			log.logger().setLevel(Level.INFO);
			Retry retry = retry(policy("orders").maxAttempts(1).build());
			for (int i = 0; i < calls; i++) {
				assertThatThrownBy(() -> retry.call(() -> {
					throw new IOException();
				})).isInstanceOf(IOException.class);
			}
		}

	}

	@Test
	@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void appenderMayMakeRetriedCalls() {
		List<ILoggingEvent> appended = new ArrayList<>();
		Retry retry = retry(policy("orders").maxAttempts(3).build());
		AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {

			@Override
			protected void append(ILoggingEvent event) {
				appended.add(event);
				StopLoggerTests.this.stop(retry, new IOException("the log server is down"));
			}

		};
		appender.start();
		this.log.logger().addAppender(appender);
		try {
			stop(retry, new IOException("down"));
		}
		finally {
			this.log.logger().detachAppender(appender);
		}
		assertThat(appended).hasSize(this.log.events().size());
	}

	private static RetryPolicyBuilder policy(String name) {
		return RetryPolicy.builder(name).jitter(Jitter.none());
	}

	private Retry retry(RetryPolicy policy) {
		return Retry.builder(policy).method("OrderService.place").time(this.time).listener(this.listener).build();
	}

	private void stop(Retry retry, Exception failure) {
		assertThatThrownBy(() -> retry.call(failing(failure))).isSameAs(failure);
	}

	private void recover(Retry retry, Exception failure) {
		assertThatCode(() -> retry.call(failing(failure), (context, stopped) -> "parked")).doesNotThrowAnyException();
	}

	private void recoverInVain(Retry retry, Exception failure) {
		assertThatThrownBy(() -> retry.call(failing(failure), (context, stopped) -> {
			throw new IllegalStateException(SECRET);
		})).isInstanceOf(IllegalStateException.class);
	}

	private Operation<String, Exception> failing(Exception failure) {
		return () -> {
			this.time.advance(Duration.ofMillis(10));
			throw failure;
		};
	}

	/** Throws past the protection of {@link AppenderBase}. */
	private static final class ThrowingAppender extends AppenderBase<ILoggingEvent> {

		@Override
		public synchronized void doAppend(ILoggingEvent event) {
			throw new IllegalStateException("appender");
		}

		@Override
		protected void append(ILoggingEvent event) {
		}

	}

}
