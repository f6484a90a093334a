package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.time.DurationText;

import static org.assertj.core.api.Assertions.assertThat;

class AttemptHistoryTests {

	private static final long MILLI = 1_000_000;

	private static final List<DelaySource> SOURCES = List.of(DelaySource.values());

	private final Outcome failed = Outcome.ofRetryable(new IOException("down"), null);

	private final AttemptHistory history = new AttemptHistory();

	@Test
	void tellsNothingBeforeAnythingHappened() {
		assertThat(this.history.attemptTimes()).isEmpty();
		assertThat(this.history.waits()).isEmpty();
		assertThat(waits()).isEmpty();
		assertThat(attempts()).isEmpty();
		assertThat(this.history.lastOutcome()).isNull();
		assertThat(this.history.previousDelay()).isZero();
	}

	@Test
	void keepsTheFirstAndTheLastThreeOfMany() {
		tell(500, 499);
		assertThat(this.history.isAttemptsAbridged()).isTrue();
		assertThat(this.history.attemptTimes()).extracting(Duration::toMillis)
			.containsExactly(1L, 2L, 3L, 498L, 499L, 500L);
		assertThat(attempts()).isEqualTo("1 ms, 2 ms, 3 ms, 498 ms, 499 ms, 500 ms");
		assertThat(this.history.waits()).extracting(RetriesStoppedException.Wait::source)
			.containsExactly(DelaySource.POLICY, DelaySource.HINT, DelaySource.BREAKER, DelaySource.POLICY,
					DelaySource.HINT, DelaySource.BREAKER);
		assertThat(this.history.waits()).extracting((wait) -> wait.length().toMillis())
			.containsExactly(100L, 200L, 300L, 49_700L, 49_800L, 49_900L);
		assertThat(this.history.lastSource()).isEqualTo(DelaySource.BREAKER);
	}

	@Test
	void tellsWaitsWithoutAttempts() {
		tell(0, 7);
		assertThat(waits())
			.isEqualTo("100 ms, 200 ms (hint), 300 ms (breaker), 500 ms, 600 ms (hint), 700 ms (breaker)");
		assertThat(this.history.attemptTimes()).isEmpty();
	}

	@Test
	void remembersTheFinalPollHoweverManyAttemptsFollow() {
		this.history.addAttempt(this.failed, 3);
		assertThat(this.history.isFinalPoll()).isFalse();
		this.history.addWait(new Decision.RetryAfter(6, 7, DelaySource.POLICY));
		for (int i = 0; i < 100; i++) {
			assertThat(this.history.isFinalPoll()).isTrue();
			this.history.addAttempt(this.failed, i);
			assertThat(this.history.attemptNanos()).isEqualTo(i);
			this.history.addWait(new Decision.RetryAfter(7, 7, DelaySource.POLICY));
			assertThat(this.history.attemptNanos()).isEqualTo(i);
		}
	}

	@Test
	void remembersTheLastOutcomeAndTheDelayOfTheRule() {
		this.history.addAttempt(this.failed, 1);
		this.history.addWait(new Decision.RetryAfter(9, 7, DelaySource.HINT));
		assertThat(this.history.lastOutcome()).usingRecursiveComparison().isEqualTo(this.failed);
		assertThat(this.history.previousDelay()).isEqualTo(7);
		assertThat(this.history.lastSource()).isEqualTo(DelaySource.HINT);
	}

	@Test
	void remembersTheDelayOfTheRuleAmongOtherTimes() {
		for (int i = 1; i <= 9; i++) {
			this.history.addAttempt(this.failed, i * MILLI);
			// every third wait is longer than the rule's delay
			long delay = i * 10L * MILLI;
			this.history
				.addWait(new Decision.RetryAfter((i % 3 == 0) ? delay + MILLI : delay, delay, SOURCES.get(i % 4)));
			assertThat(this.history.previousDelay()).isEqualTo(delay);
		}
		assertThat(this.history.waits()).extracting((wait) -> wait.length().toMillis())
			.containsExactly(10L, 20L, 31L, 70L, 80L, 91L);
		assertThat(this.history.attemptTimes()).extracting(Duration::toMillis).containsExactly(1L, 2L, 3L, 7L, 8L, 9L);
	}

	@Test
	void remembersADelayOfTheRuleThatWasNotWaited() {
		this.history.addWait(new Decision.RetryAfter(0, 5, DelaySource.BUDGET));
		assertThat(this.history.previousDelay()).isEqualTo(5);
		assertThat(this.history.waits()).extracting(RetriesStoppedException.Wait::length)
			.containsExactly(Duration.ZERO);
		this.history.addWait(new Decision.RetryAfter(6, 6, DelaySource.POLICY));
		assertThat(this.history.previousDelay()).isEqualTo(6);
	}

	@ParameterizedTest
	@EnumSource
	void remembersTheLastOutcomeOfAnyKind(AttemptOutcome kind) {
		Decision.Stop refusal = new Decision.Stop(StopReason.NOT_RETRYABLE, null);
		this.history.addAttempt(Outcome.ofRefused(kind, new IOException("down"), refusal), 1);
		assertThat(this.history.lastOutcome()).extracting(Outcome::kind, Outcome::refusal)
			.containsExactly(kind, refusal);
	}

	@Test
	void keepsTheFirstAndTheLastThreeWaitsOfOneRetry() {
		for (int i = 1; i <= 9; i++) {
			this.history.addAttempt(this.failed, i * MILLI);
			for (int j = 1; j <= i; j++) {
				this.history.addWait(new Decision.RetryAfter((10 * i + j) * MILLI, 1, DelaySource.BUDGET));
			}
		}
		assertThat(this.history.attemptTimes()).extracting(Duration::toMillis).containsExactly(1L, 2L, 3L, 7L, 8L, 9L);
		assertThat(this.history.waits()).extracting((wait) -> wait.length().toMillis())
			.containsExactly(11L, 21L, 22L, 97L, 98L, 99L);
	}

	@Test
	void countsPostponementsOfOneRetry() {
		this.history.addPostponed();
		this.history.addPostponed();
		assertThat(this.history.postponed()).isEqualTo(2);
		this.history.retryBegins();
		assertThat(this.history.postponed()).isZero();
	}

	/* Attempts of 1, 2, … ms, waits of 100, 200, … ms, chosen by each in turn. */
	private void tell(int attempts, int waits) {
		for (int i = 0; i < Math.max(attempts, waits); i++) {
			if (i < attempts) {
				this.history.addAttempt(this.failed, (i + 1) * MILLI);
			}
			if (i < waits) {
				long delay = (i + 1) * 100L * MILLI;
				this.history.addWait(new Decision.RetryAfter(delay, delay, SOURCES.get(i % 4)));
			}
		}
	}

	private String waits() {
		return this.history.waits().stream().map(Object::toString).collect(Collectors.joining(", "));
	}

	private String attempts() {
		return this.history.attemptTimes()
			.stream()
			.map((time) -> DurationText.rounded(time.toNanos()))
			.collect(Collectors.joining(", "));
	}

}
