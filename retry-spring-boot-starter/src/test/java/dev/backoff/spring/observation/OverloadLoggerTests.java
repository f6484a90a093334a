package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

import ch.qos.logback.classic.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

class OverloadLoggerTests {

	private final VirtualTime time = new VirtualTime();

	private final OverloadLogger listener = new OverloadLogger();

	private final LogCapture log = new LogCapture(OverloadLogger.class);

	@AfterEach
	void closeLog() {
		this.log.close();
	}

	@Nested
	class Budgets {

		private static final String WHAT_TO_SET = "For a job set when-empty: wait; for a caller that waits, a recover, "
				+ "or more tokens if most first attempts succeed";

		private RetryBudget budget(double tokens, double perSuccess, double perSecond) {
			return RetryBudget.of("orders", new BudgetSettings(tokens, perSuccess, perSecond), time, listener);
		}

		private static void drain(RetryBudget budget) {
			for (int i = 0; i < 100; i++) {
				budget.tryWithdraw();
			}
		}

		@Test
		void tellOnceThatTheyRanDry() {
			RetryBudget budget = budget(50, 0.1, 0.05);
			drain(budget);
			drain(budget);
			assertThat(log.lines(Level.WARN)).containsExactly("Budget orders ran dry (0 of 50 tokens): retries are "
					+ "refused, or wait, while it is empty; a success puts back 0.1 and what its retries took, "
					+ "a second puts back 0.05, recovered at 25. " + WHAT_TO_SET);
			assertThat(LogCapture.keyValues(log.events(Level.WARN).get(0)))
				.containsOnly(entry("backoff.budget", "orders"));
		}

		@Test
		void tellOnceThatTheyHaveRecovered() {
			RetryBudget budget = budget(4, 1, 0);
			drain(budget);
			for (int i = 0; i < 4; i++) {
				budget.deposit();
			}
			assertThat(log.lines(Level.WARN)).containsExactly(
					"Budget orders ran dry (0 of 4 tokens): retries are refused, or wait, while it is empty; "
							+ "a success puts back 1 and what its retries took, recovered at 2. " + WHAT_TO_SET);
			assertThat(log.lines(Level.INFO))
				.containsExactly("Budget orders has recovered: it held 2 of 4 tokens again");
			assertThat(LogCapture.keyValues(log.events(Level.INFO).get(0)))
				.containsOnly(entry("backoff.budget", "orders"));
		}

		@Test
		void tellOnceThatTheyBarRetriesAfterTimeoutsAndOnceThatTheyAllowThem() {
			RetryBudget budget = budget(50, 0.1, 0.1);
			for (int i = 0; i < 3; i++) {
				budget.newCall(0).timedOut(true);
			}
			assertThat(log.lines(Level.WARN)).containsExactly(
					"Budget orders bars retries after timeouts, since they timed out too (50 of 50 tokens): until up to 40 "
							+ "calls have succeeded, or for ten minutes; other retries, and calls that wait, go on");
			for (int i = 0; i < 80; i++) {
				budget.deposit();
			}
			assertThat(log.lines(Level.INFO)).containsExactly("Budget orders allows retries after timeouts again");
			for (Level level : List.of(Level.WARN, Level.INFO)) {
				assertThat(LogCapture.keyValues(log.events(level).get(0)))
					.containsOnly(entry("backoff.budget", "orders"));
			}
		}

		@Test
		void tellOnceThatTheyHoldNothing() {
			RetryBudget budget = budget(0, 0.1, 0.1);
			drain(budget);
			assertThat(budget.isDry()).isTrue();
			drain(budget);
			assertThat(log.events()).hasSize(1);
			assertThat(log.lines(Level.WARN)).containsExactly(
					"Budget orders ran dry (0 of 0 tokens): nothing is ever put back, so all retries are refused");
		}

	}

	@Nested
	class Breakers {

		private CircuitBreaker breaker(UnaryOperator<BreakerSettings.Builder> settings) {
			return CircuitBreaker.builder("gateway")
				.settings(settings.apply(BreakerSettings.builder().minimumCalls(3).openFor(Duration.ofSeconds(20)))
					.build())
				.time(time)
				.random(RandomSources.middle())
				.listener(listener)
				.build();
		}

		private void end(CircuitBreaker breaker, boolean failed) {
			Permit permit = breaker.tryAcquire(time.nanoTime());
			if (failed) {
				permit.failed(2_000_000_000L, time.nanoTime(), null);
			}
			else {
				permit.succeeded(2_000_000_000L, time.nanoTime());
			}
		}

		@Test
		void tellWhyTheyOpen() {
			CircuitBreaker breaker = breaker((settings) -> settings.slowCall(Duration.ofSeconds(3)));
			end(breaker, false);
			end(breaker, true);
			end(breaker, true);
			assertThat(log.lines(Level.WARN)).containsExactly("Breaker gateway went from closed to open: of 3 attempts "
					+ "66.7 % failed, 0 % were slow; open for 15 s");
			assertThat(LogCapture.keyValues(log.events(Level.WARN).get(0))).containsOnly(
					entry("backoff.breaker", "gateway"), entry("backoff.from", "closed"), entry("backoff.to", "open"));
		}

		@Test
		void tellTheirMovesAndNoCall() {
			CircuitBreaker breaker = breaker((settings) -> settings.probes(1));
			breaker.open();
			for (int i = 0; i < 100; i++) {
				assertThat(breaker.tryAcquire(time.nanoTime())).isNull();
			}
			time.advance(Duration.ofSeconds(20));
			end(breaker, true);
			time.advance(Duration.ofSeconds(20));
			end(breaker, false);
			assertThat(log.lines(Level.WARN)).containsExactly("Breaker gateway went from closed to open; open for 15 s",
					"Breaker gateway went from half-open to open: of 1 attempt 100 % failed, 0 % were slow; open for 15 s");
			assertThat(log.lines(Level.INFO)).containsExactly("Breaker gateway went from open to half-open",
					"Breaker gateway went from open to half-open", "Breaker gateway went from half-open to closed");
			assertThat(log.events()).hasSize(5);
		}

		@Test
		void tellWhatIsSetByHand() {
			CircuitBreaker breaker = breaker(UnaryOperator.identity());
			breaker.forceOpen();
			breaker.disable();
			assertThat(log.lines(Level.WARN)).containsExactly("Breaker gateway went from closed to forced-open");
			assertThat(log.lines(Level.INFO)).containsExactly("Breaker gateway went from forced-open to disabled");
		}

	}

}
