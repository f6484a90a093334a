package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import dev.backoff.event.DelaySource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.time.DurationText;

import static org.assertj.core.api.Assertions.assertThat;

class AttemptHistoryTests {

	private static final long MILLI = 1_000_000;

	private static final List<DelaySource> SOURCES = List.of(DelaySource.values());

	private final Outcome failed = Outcome.ofRetryable(new IOException("down"), null);

	private final AttemptHistory history = new AttemptHistory();

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
		assertThat(this.history.finalPoll).isFalse();
		this.history.addWait(new Decision.RetryAfter(6, 7, DelaySource.POLICY));
		for (int i = 0; i < 100; i++) {
			assertThat(this.history.finalPoll).isTrue();
			this.history.addAttempt(this.failed, i);
			assertThat(this.history.attemptNanos()).isEqualTo(i);
			this.history.addWait(new Decision.RetryAfter(7, 7, DelaySource.POLICY));
			assertThat(this.history.attemptNanos()).isEqualTo(i);
		}
	}

	@Test
	void remembersADelayOfTheRuleThatWasNotWaited() {
		this.history.addWait(new Decision.RetryAfter(0, 5, DelaySource.BUDGET));
		assertThat(this.history.previousDelay).isEqualTo(5);
		assertThat(this.history.waits()).extracting(RetriesStoppedException.Wait::length)
			.containsExactly(Duration.ZERO);
		this.history.addWait(new Decision.RetryAfter(6, 6, DelaySource.POLICY));
		assertThat(this.history.previousDelay).isEqualTo(6);
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
