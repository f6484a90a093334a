package dev.backoff.pace;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

class LearnedRateTests {

	private static final long SECOND = 1_000_000_000L;

	private static final double LEAST = 1 / 60.0;

	private final LearnedRate rate = new LearnedRate(0);

	private long now;

	private void succeed(int times, long apart) {
		for (int i = 0; i < times; i++) {
			this.now += apart;
			this.rate.succeeded(this.now, this.now, true);
		}
	}

	/* Of an attempt that has just begun. */
	private void refuse() {
		this.now += SECOND / 20;
		this.rate.refused(this.now - SECOND / 50, this.now, LEAST);
	}

	/* At 20 a second, from the second refusal on. */
	private void settle() {
		succeed(200, SECOND / 20);
		refuse();
		succeed(20, SECOND / 20);
		refuse();
	}

	@Test
	void notRefused_unknownAndNothingBeforeAPauseCounts() {
		succeed(10_000, SECOND / 100);
		assertThat(this.rate.perSecond + this.rate.gap() + this.rate.unlimited).isZero();
		this.now += 3600 * SECOND;
		succeed(10, SECOND);
		refuse();
		assertThat(this.rate.unlimited).isCloseTo(1, within(.2));
	}

	@ParameterizedTest
	@CsvSource({ "0, 0, .2, 1", "50, 1, 10, 10", "200, 50000000, 20, 20", "10000, 10000000, 100, 100" })
	void firstRefusal_measuredOverFiveSecondsAtLeastLessATenth(int successes, long apart, double measured,
			double first) {
		succeed(successes, apart);
		refuse();
		assertThat(this.rate.perSecond).isCloseTo(first * .9, withinPercentage(1.0));
		assertThat(this.rate.unlimited).isCloseTo(measured, withinPercentage(1.0));
	}

	@Test
	void refusedAmongTheFirstFew_growsFast() {
		refuse();
		succeed(3, SECOND / 2);
		refuse();
		double before = this.rate.perSecond;
		succeed(1, SECOND);
		assertThat(this.rate.perSecond / before).isEqualTo(1.1, within(1e-9));
	}

	@Test
	void notSettled_tenPercentBySuccessWhileCallsWait() {
		refuse();
		this.rate.succeeded(this.now, this.now + SECOND, false);
		succeed(10, SECOND);
		assertThat(this.rate.perSecond).isEqualTo(.9 * Math.pow(1.1, 10), within(1e-9));
	}

	@ParameterizedTest
	@CsvSource({ "true, 100", "false, 7" })
	void settled_fivePercentInAHundredSuccessesOrInAMinute(boolean fast, int successes) {
		if (fast) {
			settle();
			assertThat(this.rate.perSecond).as("at most what was measured").isCloseTo(17.1, within(.3));
		}
		else {
			refuse();
			succeed(20, 8 * SECOND);
			refuse();
		}
		double before = this.rate.perSecond;
		succeed(successes, fast ? SECOND / 20 : SECOND);
		assertThat(this.rate.perSecond / before).isEqualTo(1.05, within(.004));
		for (int i = 0; i < 1000; i++) {
			refuse();
		}
		assertThat(this.rate.perSecond).isEqualTo(LEAST);
	}

	@Test
	void refused_lessATenthOnceForAllUnderWay() {
		settle();
		double before = this.rate.perSecond;
		long start = this.now;
		refuse();
		double after = this.rate.perSecond;
		assertThat(after).isEqualTo(before * .9, within(1e-9));
		for (int i = 0; i < 200; i++) {
			this.rate.refused(start, this.now + i, LEAST);
		}
		assertThat(this.rate.perSecond).isEqualTo(after);
	}

	@Test
	void burstAfterAPause_measuredFromItsStart() {
		succeed(1, SECOND);
		this.now += 20 * SECOND;
		long start = this.now;
		for (int i = 0; i < 4; i++) {
			this.now += SECOND / 2;
			this.rate.succeeded(start, this.now, true);
		}
		refuse();
		assertThat(this.rate.unlimited).as("four in five seconds").isEqualTo(.8, within(1e-9));
	}

	@Test
	void denseAgain_loweredFurther() {
		succeed(100, 1);
		for (int i = 0; i < 100; i++) {
			this.rate.refused(this.now, this.now + i, LEAST);
		}
		assertThat(this.rate.perSecond).isEqualTo(18, within(.1));
		succeed(10, 1);
		refuse();
		assertThat(this.rate.perSecond).as("also below what was measured since").isEqualTo(9.5 * .7 * .9, within(.5));
	}

	@Test
	void neverRefusedAgain_atMostFiveTimesWhatWasMeasured() {
		settle();
		succeed(10_000, SECOND / 20);
		assertThat(this.rate.perSecond).isBetween(99.0, 106.0);
	}

	@Test
	void refusedAtRandom_bestIsBackAndGrowsInThreeSuccesses() {
		settle();
		succeed(200, 1);
		double best = 0;
		for (int i = 0; i < 40; i++) {
			best = Math.max(best, this.rate.perSecond);
			refuse();
			assertThat(this.rate.perSecond).isGreaterThan(best * .53);
			for (int n = 0; n < 50; n++) {
				this.rate.succeeded(this.now, this.now, false);
			}
		}
		assertThat(this.rate.perSecond).isGreaterThan(best * .99);
		succeed(3, SECOND / 20);
		assertThat(this.rate.perSecond / best).isEqualTo(1.05, within(.004));
	}

	@Test
	void refusedInLumps_lowered() {
		settle();
		double before = this.rate.perSecond;
		for (int lump = 0; lump < 20; lump++) {
			long start = this.now + 1;
			this.now += SECOND;
			for (int i = 0; i < 200; i++) {
				this.rate.refused(start, this.now + i, LEAST);
			}
			for (int n = 0; n < 100; n++) {
				this.rate.succeeded(this.now, this.now + 200, false);
			}
			this.now += SECOND;
		}
		assertThat(this.rate.perSecond).isLessThan(before / 4);
	}

}
