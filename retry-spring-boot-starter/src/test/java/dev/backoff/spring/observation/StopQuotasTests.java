package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

import org.junit.jupiter.api.Test;

import dev.backoff.event.StopReason;
import dev.backoff.fixture.Crowd;
import dev.backoff.spring.observation.StopQuotas.Held;

import static org.assertj.core.api.Assertions.assertThat;

class StopQuotasTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	/* So late that the ticker wraps within the minute. */
	private static final long START = Long.MAX_VALUE - 30 * SECOND;

	private final StopQuotas quotas = new StopQuotas();

	@Test
	void placesAreCountedFromOne() {
		for (int place = 1; place <= 21; place++) {
			assertThat(stop(START, 1, false)).isEqualTo(place);
		}
		assertThat(stop(START + 59 * SECOND, 1, false)).isEqualTo(22);
	}

	@Test
	void minuteBeginsWithItsFirstStopAndEndsAfterSixtySeconds() {
		fill(START);
		stop(START + SECOND, 3, true);
		stop(START + 60 * SECOND - 1, 4, false);
		assertThat(over(START + 60 * SECOND - 1)).isEmpty();
		assertThat(over(START + 61 * SECOND))
			.containsExactly(new Held("orders", StopReason.DEADLINE, 2, 7, 1, 60 * SECOND - 1, SECOND + 1));
		assertThat(stop(START + 61 * SECOND, 1, false)).isOne();
		assertThat(over(START + 120 * SECOND)).isEmpty();
		assertThat(stop(START + 120 * SECOND, 1, false)).isEqualTo(2);
	}

	@Test
	void whatWasAdmittedIsNotCountedAgain() {
		fill(START);
		assertThat(over(START + 60 * SECOND)).isEmpty();
		assertThat(stop(START + 60 * SECOND, 1, false)).isOne();
	}

	@Test
	void givesWhatItHoldsOnceAndBeforeTheMinuteIsOverOnRequest() {
		fill(START);
		stop(START + SECOND, 3, true);
		assertThat(this.quotas.take(START + 2 * SECOND, 0))
			.containsExactly(new Held("orders", StopReason.DEADLINE, 1, 3, 1, SECOND, SECOND));
		assertThat(this.quotas.take(START + 2 * SECOND, 0)).isEmpty();
	}

	@Test
	void tickerThatStepsBackStaysInTheMinute() {
		fill(START);
		assertThat(stop(START - 120 * SECOND, 1, false)).isEqualTo(21);
		assertThat(over(START - 120 * SECOND)).isEmpty();
	}

	@Test
	void losesNoStopUnderManyThreads() throws InterruptedException {
		LongAdder admitted = new LongAdder();
		LongAdder held = new LongAdder();
		Crowd.of(3, (number) -> {
			for (int i = 0; i < 10_000; i++) {
				admitted.add((stop(START, 2, true) <= StopQuotas.FULL) ? 1 : 0);
				held.add((i % 100 == 0) ? calls(this.quotas.take(START, 0)) : 0);
			}
		});
		assertThat(admitted.sum() + held.sum() + calls(this.quotas.take(START, 0))).isEqualTo(30_000);
	}

	private static long calls(List<Held> taken) {
		return taken.stream().filter((held) -> held.attempts() == 2L * held.calls()).mapToLong(Held::calls).sum();
	}

	private void fill(long now) {
		for (int i = 0; i < StopQuotas.FULL; i++) {
			stop(now, 1, false);
		}
	}

	private int stop(long now, int attempts, boolean recovered) {
		return this.quotas.count("orders", StopReason.DEADLINE, attempts, recovered, now).stops();
	}

	private List<Held> over(long now) {
		return this.quotas.take(now, StopQuotas.MINUTE);
	}

}
