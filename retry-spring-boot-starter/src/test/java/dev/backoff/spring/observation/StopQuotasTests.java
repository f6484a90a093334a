package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

import org.junit.jupiter.api.Test;

import dev.backoff.fixture.Crowd;

import static org.assertj.core.api.Assertions.assertThat;

class StopQuotasTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	/* So late that the ticker wraps within the minute. */
	private static final long START = Long.MAX_VALUE - 30 * SECOND;

	private final StopQuotas.Quota quota = new StopQuotas.Quota();

	@Test
	void admitsTheFirstTwentyAndHoldsTheOthers() {
		for (int place = 1; place <= 20; place++) {
			assertThat(this.quota.ask(START, 1, false)).isEqualTo(place);
		}
		assertThat(this.quota.ask(START + 59 * SECOND, 1, false)).isZero();
	}

	@Test
	void minuteBeginsWithItsFirstStopAndEndsAfterSixtySeconds() {
		fill(START);
		this.quota.ask(START + SECOND, 3, true);
		this.quota.ask(START + 60 * SECOND - 1, 4, false);
		assertThat(this.quota.takeIfOver(START + 60 * SECOND - 1)).isNull();
		assertThat(this.quota.takeIfOver(START + 60 * SECOND))
			.isEqualTo(new StopQuotas.Held(2, 7, 1, 60 * SECOND - 1, START + 60 * SECOND - 1));
		assertThat(this.quota.ask(START + 60 * SECOND, 1, false)).isOne();
		assertThat(this.quota.takeIfOver(START + 119 * SECOND)).isNull();
		assertThat(this.quota.ask(START + 119 * SECOND, 1, false)).isEqualTo(2);
	}

	@Test
	void givesWhatItHoldsOnce() {
		fill(START);
		this.quota.ask(START, 3, true);
		StopQuotas.Held held = new StopQuotas.Held(1, 3, 1, 0, START);
		assertThat(this.quota.takeIfOver(START + 61 * SECOND)).isEqualTo(held);
		assertThat(this.quota.takeIfOver(START + 61 * SECOND)).isNull();
		assertThat(this.quota.take()).isNull();
	}

	@Test
	void givesWhatItHoldsBeforeTheMinuteIsOverAndGoesOnHolding() {
		fill(START);
		this.quota.ask(START, 1, false);
		assertThat(this.quota.take()).isNotNull();
		assertThat(this.quota.ask(START + SECOND, 1, false)).isZero();
		assertThat(this.quota.take()).isEqualTo(new StopQuotas.Held(1, 1, 0, SECOND, START + SECOND));
	}

	@Test
	void tickerThatStepsBackStaysInTheMinute() {
		fill(START);
		assertThat(this.quota.ask(START - 120 * SECOND, 1, false)).isZero();
	}

	@Test
	void holdsNothingAtFirst() {
		assertThat(this.quota.take()).isNull();
		assertThat(this.quota.takeIfOver(START)).isNull();
	}

	@Test
	void losesNoStopUnderManyThreads() throws InterruptedException {
		LongAdder admitted = new LongAdder();
		LongAdder held = new LongAdder();
		Crowd.of(3, (number) -> {
			for (int i = 0; i < 10_000; i++) {
				admitted.add((this.quota.ask(START, 2, true) > 0) ? 1 : 0);
				StopQuotas.Held taken = (i % 100 == 0) ? this.quota.take() : null;
				held.add((taken != null && taken.attempts() == 2 * taken.calls()) ? taken.calls() : 0);
			}
		});
		StopQuotas.Held last = this.quota.take();
		assertThat(admitted.sum()).isEqualTo(StopQuotas.Quota.FULL);
		assertThat(held.sum() + ((last != null) ? last.calls() : 0)).isEqualTo(30_000 - StopQuotas.Quota.FULL);
	}

	private void fill(long now) {
		for (int i = 0; i < StopQuotas.Quota.FULL; i++) {
			this.quota.ask(now, 1, false);
		}
	}

}
