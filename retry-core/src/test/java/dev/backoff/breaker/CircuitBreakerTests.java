package dev.backoff.breaker;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.breaker.CircuitBreaker.Verdict;
import dev.backoff.delay.RandomSource;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.time.RetryTime;
import dev.backoff.window.OutcomeWindow.Counts;
import dev.backoff.window.WindowLength;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class CircuitBreakerTests {

	private static final Duration OPEN_FOR = Duration.ofSeconds(30);

	private static final Duration SLOW = Duration.ofSeconds(2);

	private final VirtualTime time = new VirtualTime();

	private final Transitions told = new Transitions();

	private final CircuitBreaker breaker = breaker(settings());

	private static BreakerSettings.Builder settings() {
		return BreakerSettings.builder().minimumCalls(4).slowCall(SLOW);
	}

	private static BreakerSettings.Builder last(int calls) {
		return BreakerSettings.builder().window(WindowLength.ofCalls(calls));
	}

	private CircuitBreaker breaker(BreakerSettings.Builder settings) {
		return builder(settings).build();
	}

	private CircuitBreaker.Builder builder(BreakerSettings.Builder settings) {
		return CircuitBreaker.builder("payments")
			.settings(settings.build())
			.time(this.time)
			.random(RandomSources.least())
			.listener(this.told);
	}

	private Permit permit(CircuitBreaker of) {
		Permit permit = of.tryAcquire(now());
		assertThat(permit).as("permit").isNotNull();
		return permit;
	}

	private long now() {
		return this.time.nanoTime();
	}

	private void succeed(CircuitBreaker of, int times) {
		for (int i = 0; i < times; i++) {
			permit(of).succeeded(1, now());
		}
	}

	private void fail(CircuitBreaker of, int times) {
		for (int i = 0; i < times; i++) {
			permit(of).failed(1, now(), null);
		}
	}

	private void succeedSlowly(CircuitBreaker of, int times) {
		for (int i = 0; i < times; i++) {
			permit(of).succeeded(SLOW.toNanos() + 1, now());
		}
	}

	private boolean isRejected(CircuitBreaker by) {
		boolean permitting = by.isPermitting(now());
		Permit permit = by.tryAcquire(now());
		if (permit != null) {
			permit.released();
		}
		assertThat(permitting).as("what isPermitting says").isEqualTo(permit != null);
		return permit == null;
	}

	/** Let the time open pass. */
	private void waitForProbe(CircuitBreaker of) {
		this.time.advance(Duration.ofNanos(of.nanosToPermit(now())));
	}

	private CircuitBreaker opened(BreakerSettings.Builder settings) {
		CircuitBreaker opened = breaker(settings);
		opened.open();
		this.told.clear();
		return opened;
	}

	private CircuitBreaker halfOpened(BreakerSettings.Builder settings) {
		CircuitBreaker halfOpened = opened(settings);
		waitForProbe(halfOpened);
		permit(halfOpened).released();
		assertThat(halfOpened.state()).isEqualTo(BreakerState.HALF_OPEN);
		this.told.clear();
		return halfOpened;
	}

	@Nested
	class New {

		@Test
		void isClosedAndHasNoRates() {
			CircuitBreaker fresh = CircuitBreakerTests.this.breaker;
			assertThat(fresh.state()).isEqualTo(BreakerState.CLOSED);
			assertThat(fresh.counts().failureRate()).isNaN();
			assertThat(fresh.counts().slowRate()).isNaN();
			assertThat(fresh.counts()).isEqualTo(Counts.NONE);
			assertThat(fresh.rejected()).isZero();
			assertThat(fresh.timeToProbe()).isNull();
			assertThat(fresh.nanosToPermit(now())).isZero();
			assertThat(fresh.isPermitting(now())).isTrue();
		}

		@Test
		void saysWhatItIs() {
			CircuitBreaker plain = CircuitBreaker.builder("payments").build();
			assertThat(plain.name()).isEqualTo("payments");
			assertThat(plain.settings()).isSameAs(BreakerSettings.DEFAULTS);
			assertThat(plain.isAwaited()).isFalse();
			assertThat(plain).hasToString("CircuitBreaker payments (closed, 50% of at least 20 calls failed in 30s, "
					+ "open for 30s, 3 probes)");
			assertThat(breaker(settings().awaited(true)).isAwaited()).isTrue();
		}

		@ParameterizedTest
		@ValueSource(strings = { "", " ", "-_." })
		void hasANameWithALetterOrADigit(String name) {
			assertThatIllegalArgumentException().isThrownBy(() -> CircuitBreaker.builder(name))
				.withMessage("Invalid name (" + name + "): must have a letter or a digit.");
		}

		@ParameterizedTest
		@EnumSource(BreakerState.class)
		void hasTagsInLowerCase(BreakerState state) {
			assertThat(state.tag()).isEqualTo(switch (state) {
				case CLOSED -> "closed";
				case OPEN -> "open";
				case HALF_OPEN -> "half_open";
				case FORCED_OPEN -> "forced_open";
				case DISABLED -> "disabled";
				case METRICS_ONLY -> "metrics_only";
			});
		}

	}

	@Nested
	class ClosedBreaker {

		@Test
		void staysClosedBelowTheMinimumWhateverFails() {
			CircuitBreaker of20 = breaker(BreakerSettings.builder());
			fail(of20, 19);
			assertThat(of20.state()).isEqualTo(BreakerState.CLOSED);
			assertThat(of20.counts().failureRate()).isEqualTo(1);
			fail(of20, 1);
			assertThat(of20.state()).isEqualTo(BreakerState.OPEN);
			assertThat(CircuitBreakerTests.this.told).containsExactly("CLOSED -> OPEN");
		}

		@Test
		void opensAtTheFiftiethFailureOfAHundred() {
			CircuitBreaker of100 = breaker(last(100).minimumCalls(100));
			succeed(of100, 50);
			fail(of100, 49);
			assertThat(of100.state()).isEqualTo(BreakerState.CLOSED);
			fail(of100, 1);
			assertThat(of100.state()).isEqualTo(BreakerState.OPEN);
			assertThat(of100.counts()).isEqualTo(new Counts(100, 50, 0));
		}

		@Test
		void staysClosedWithFortyNineFailuresOfAHundred() {
			CircuitBreaker of100 = breaker(last(100).minimumCalls(100));
			succeed(of100, 51);
			fail(of100, 49);
			succeed(of100, 51);
			fail(of100, 49);
			assertThat(of100.state()).isEqualTo(BreakerState.CLOSED);
			assertThat(of100.counts().failureRate()).isEqualTo(0.49);
		}

		@Test
		void opensAtTheTwentiethFailureInARow() {
			CircuitBreaker of100 = breaker(last(100).minimumCalls(20));
			fail(of100, 19);
			assertThat(of100.state()).isEqualTo(BreakerState.CLOSED);
			fail(of100, 1);
			assertThat(of100.state()).isEqualTo(BreakerState.OPEN);
		}

		@Test
		void looksAtTheCountsAfterAFailureOnly() {
			CircuitBreaker of4 = breaker(settings());
			fail(of4, 3);
			succeed(of4, 3);
			assertThat(of4.counts().failureRate()).isEqualTo(0.5);
			assertThat(of4.state()).isEqualTo(BreakerState.CLOSED);
			fail(of4, 1);
			assertThat(of4.state()).isEqualTo(BreakerState.OPEN);
		}

		@Test
		void opensWhenAllMustFail() {
			CircuitBreaker all = breaker(last(10).minimumCalls(10).failureRate(1));
			succeed(all, 1);
			fail(all, 9);
			assertThat(all.state()).isEqualTo(BreakerState.CLOSED);
			fail(all, 1);
			assertThat(all.state()).isEqualTo(BreakerState.OPEN);
		}

		@Test
		void forgetsFailuresOlderThanItsWindow() {
			CircuitBreaker of4 = breaker(settings());
			fail(of4, 3);
			CircuitBreakerTests.this.time.advance(Duration.ofSeconds(30));
			assertThat(of4.counts()).isEqualTo(Counts.NONE);
			assertThat(of4.counts().failureRate()).isNaN();
			fail(of4, 3);
			assertThat(of4.state()).isEqualTo(BreakerState.CLOSED);
		}

		@Test
		void countsNothingThatWasReleased() {
			permit(CircuitBreakerTests.this.breaker).released();
			assertThat(CircuitBreakerTests.this.breaker.counts()).isEqualTo(Counts.NONE);
		}

		@Test
		void opensOnceAmongManyThreads() {
			CircuitBreaker of20 = breaker(last(1000).minimumCalls(20));
			Crowd.of(32, (number) -> {
				for (int i = 0; i < 100; i++) {
					Permit permit = of20.tryAcquire(now());
					if (permit != null) {
						permit.failed(1, now(), null);
					}
				}
			});
			assertThat(CircuitBreakerTests.this.told).containsExactly("CLOSED -> OPEN");
			assertThat(of20.counts().total()).isBetween(20L, 20L + 32);
			assertThat(of20.rejected()).isBetween(3200L - 20 - 2 * 32, 3200L - 20);
		}

	}

	@Nested
	class SlowCalls {

		@Test
		void countOnlyAboveTheLimit() {
			CircuitBreaker of4 = breaker(settings().minimumCalls(2).slowCallRate(1));
			permit(of4).succeeded(SLOW.toNanos(), now());
			assertThat(of4.counts()).isEqualTo(new Counts(1, 0, 0));
			permit(of4).succeeded(SLOW.toNanos() + 1, now());
			assertThat(of4.counts()).isEqualTo(new Counts(2, 0, 1));
			assertThat(of4.counts().slowRate()).isEqualTo(0.5);
			assertThat(of4.counts().failureRate()).isEqualTo(0);
		}

		@Test
		void openTheBreakerThoughTheySucceed() {
			CircuitBreaker of5 = breaker(settings().minimumCalls(5));
			succeed(of5, 1);
			succeedSlowly(of5, 3);
			assertThat(of5.state()).isEqualTo(BreakerState.CLOSED);
			succeedSlowly(of5, 1);
			assertThat(of5.state()).isEqualTo(BreakerState.OPEN);
			assertThat(of5.counts()).isEqualTo(new Counts(5, 0, 4));
		}

		@Test
		void mayFailToo() {
			permit(CircuitBreakerTests.this.breaker).failed(SLOW.toNanos() + 1, now(), null);
			assertThat(CircuitBreakerTests.this.breaker.counts()).isEqualTo(new Counts(1, 1, 1));
		}

		@Test
		void areNoneUnlessALimitIsSet() {
			CircuitBreaker unlimited = breaker(last(4).minimumCalls(4));
			for (int i = 0; i < 4; i++) {
				permit(unlimited).succeeded(Long.MAX_VALUE, now());
			}
			assertThat(unlimited.counts()).isEqualTo(new Counts(4, 0, 0));
			assertThat(unlimited.state()).isEqualTo(BreakerState.CLOSED);
		}

		@Test
		void areNotThoseThatEndBeforeTheyBegan() {
			permit(CircuitBreakerTests.this.breaker).succeeded(-1, now());
			permit(CircuitBreakerTests.this.breaker).succeeded(Long.MIN_VALUE, now());
			assertThat(CircuitBreakerTests.this.breaker.counts()).isEqualTo(new Counts(2, 0, 0));
		}

	}

	@Nested
	class OpenBreaker {

		private final CircuitBreaker open = opened(settings());

		@Test
		void rejectsAndCountsIt() {
			assertThat(this.open.tryAcquire(now())).isNull();
			assertThat(this.open.tryAcquire(now())).isNull();
			assertThat(this.open.rejected()).isEqualTo(2);
			assertThat(this.open.isPermitting(now())).isFalse();
			assertThat(this.open.rejected()).isEqualTo(2);
		}

		@Test
		void tellsTheTimeLeftAsItFalls() {
			assertThat(this.open.timeToProbe()).isEqualTo(Duration.ofSeconds(15));
			CircuitBreakerTests.this.time.advance(Duration.ofSeconds(14));
			assertThat(this.open.timeToProbe()).isEqualTo(Duration.ofSeconds(1));
			assertThat(this.open.nanosToPermit(now())).isEqualTo(1_000_000_000);
			CircuitBreakerTests.this.time.advance(Duration.ofSeconds(20));
			assertThat(this.open.timeToProbe()).isNull();
			assertThat(this.open.nanosToPermit(now())).isZero();
		}

		@Test
		void explainsItselfInAnException() {
			CircuitBreakerTests.this.time.advance(Duration.ofSeconds(2));
			CircuitOpenException ex = this.open.rejection(now());
			assertThat(ex)
				.hasMessage("Circuit breaker payments is open since 2 s, for another 13 s; the call was not made.");
			assertThat(ex.breaker()).isEqualTo("payments");
			assertThat(ex.state()).isEqualTo("open");
			assertThat(ex.openFor()).isEqualTo(Duration.ofSeconds(2));
			assertThat(ex.timeToProbe()).isEqualTo(Duration.ofSeconds(13));
		}

		@Test
		void staysOpenToTheLastNanosecond() {
			CircuitBreakerTests.this.time.advance(Duration.ofSeconds(15).minusNanos(1));
			assertThat(isRejected(this.open)).isTrue();
			assertThat(this.open.state()).isEqualTo(BreakerState.OPEN);
			CircuitBreakerTests.this.time.advance(Duration.ofNanos(1));
			assertThat(this.open.isPermitting(now())).isTrue();
			assertThat(isRejected(this.open)).isFalse();
		}

		@Test
		void isHalfOpenWhenItsProbeIsDueAndTellsSoWithTheProbe() {
			CircuitBreakerTests.this.time.advance(Duration.ofSeconds(15));
			assertThat(this.open.state()).isEqualTo(BreakerState.HALF_OPEN);
			assertThat(this.open).hasToString("CircuitBreaker payments (half-open, " + this.open.settings() + ")");
			assertThat(CircuitBreakerTests.this.told).isEmpty();
			assertThat(isRejected(this.open)).isFalse();
			assertThat(this.open.state()).isEqualTo(BreakerState.HALF_OPEN);
			assertThat(CircuitBreakerTests.this.told).containsExactly("OPEN -> HALF_OPEN");
		}

		@Test
		void keepsTheCountsThatOpenedIt() {
			CircuitBreaker of4 = breaker(settings());
			succeed(of4, 1);
			fail(of4, 3);
			CircuitBreakerTests.this.time.advance(Duration.ofHours(1));
			assertThat(of4.state()).isEqualTo(BreakerState.HALF_OPEN);
			assertThat(of4.counts()).isEqualTo(new Counts(4, 3, 0));
			assertThat(of4.counts().failureRate()).isEqualTo(0.75);
			assertThat(this.open.counts().failureRate()).isNaN();
		}

		@Test
		void opensAcrossTheWrapOfTheTicker() {
			VirtualTime wrapping = VirtualTime.wrappingAfter(Duration.ofSeconds(5));
			CircuitBreaker across = builder(settings()).time(wrapping).build();
			across.open();
			wrapping.advance(Duration.ofSeconds(14));
			assertThat(across.tryAcquire(wrapping.nanoTime())).isNull();
			assertThat(across.timeToProbe()).isEqualTo(Duration.ofSeconds(1));
			wrapping.advance(Duration.ofSeconds(1));
			assertThat(across.tryAcquire(wrapping.nanoTime())).isNotNull();
		}

	}

	@Nested
	class TimeOpen {

		@Test
		void isDrawnFromHalfToAllOfIt() {
			assertThat(drawnBy(RandomSources.least())).isEqualTo(Duration.ofSeconds(15));
			assertThat(drawnBy(RandomSources.middle())).isEqualTo(Duration.ofMillis(22_500));
			assertThat(drawnBy(RandomSources.greatest())).isBetween(OPEN_FOR.minusNanos(10), OPEN_FOR);
		}

		@Test
		void isUniform() {
			int draws = 10_000;
			CircuitBreaker seeded = builder(settings()).random(RandomSources.seeded(42)).build();
			double[] shares = new double[draws];
			for (int i = 0; i < draws; i++) {
				seeded.open();
				shares[i] = seeded.nanosToPermit(now()) / (double) OPEN_FOR.toNanos();
			}
			Arrays.sort(shares);
			assertThat(shares[0]).isBetween(0.5, 0.501);
			assertThat(shares[draws - 1]).isBetween(0.999, 1.0);
			double distance = 0;
			for (int i = 0; i < draws; i++) {
				double expected = (shares[i] - 0.5) * 2;
				distance = Math.max(distance, Math.max(expected - (double) i / draws, (i + 1.0) / draws - expected));
			}
			assertThat(distance).isLessThan(0.0196);
		}

		@Test
		void isOneNanosecondAtLeast() {
			CircuitBreaker shortest = breaker(settings().openFor(Duration.ofNanos(1)));
			shortest.open();
			assertThat(shortest.nanosToPermit(now())).isEqualTo(1);
		}

		@Test
		void mayBeTheLargestDuration() {
			CircuitBreaker longest = breaker(settings().openFor(Duration.ofSeconds(Long.MAX_VALUE)));
			longest.open();
			assertThat(longest.nanosToPermit(now())).isEqualTo(Long.MAX_VALUE - Long.MAX_VALUE / 2);
		}

		@Test
		void isDrawnByTheSystemIfTheSourceIsBroken() {
			for (RandomSource broken : List.of(RandomSources.throwing(IllegalStateException::new),
					RandomSources.always(1), RandomSources.always(-0.1), RandomSources.always(Double.NaN),
					RandomSources.always(Double.POSITIVE_INFINITY))) {
				assertThat(drawnBy(broken)).isBetween(Duration.ofSeconds(15), OPEN_FOR);
			}
		}

		@Test
		void growsEachTimeTheProbesFailAndStartsAnewOnceClosed() {
			CircuitBreaker growing = breaker(settings().openForMultiplier(2).probes(1));
			growing.open();
			for (int seconds : new int[] { 15, 30, 60, 120, 240 }) {
				assertThat(growing.timeToProbe()).isEqualTo(Duration.ofSeconds(seconds));
				waitForProbe(growing);
				fail(growing, 1);
			}
			waitForProbe(growing);
			succeed(growing, 1);
			assertThat(growing.state()).isEqualTo(BreakerState.CLOSED);
			fail(growing, 4);
			assertThat(growing.timeToProbe()).isEqualTo(Duration.ofSeconds(15));
		}

		@Test
		void growsUpToAnHour() {
			assertThat(grown(settings().openForMultiplier(10), 3)).isEqualTo(Duration.ofMinutes(30));
			assertThat(grown(settings().openForMultiplier(Double.MAX_VALUE), 5)).isEqualTo(Duration.ofMinutes(30));
			assertThat(grown(settings().openForMultiplier(1.01), 500)).isEqualTo(Duration.ofMinutes(30));
		}

		@Test
		void doesNotGrowAboveAnHourUnlessItIsLonger() {
			assertThat(grown(settings().openFor(Duration.ofHours(8)).openForMultiplier(2), 3))
				.isEqualTo(Duration.ofHours(4));
		}

		@Test
		void doesNotGrowByDefault() {
			assertThat(grown(settings(), 5)).isEqualTo(Duration.ofSeconds(15));
		}

		private Duration grown(BreakerSettings.Builder settings, int failedProbes) {
			CircuitBreaker growing = breaker(settings.probes(1));
			growing.open();
			for (int i = 0; i < failedProbes; i++) {
				waitForProbe(growing);
				fail(growing, 1);
			}
			return growing.timeToProbe();
		}

		private Duration drawnBy(RandomSource random) {
			CircuitBreaker drawing = builder(settings()).random(random).build();
			drawing.open();
			return drawing.timeToProbe();
		}

	}

	@Nested
	class HalfOpenBreaker {

		private final CircuitBreaker halfOpen = halfOpened(settings().probes(4));

		@Test
		void permitsExactlyItsProbes() {
			Permit first = permit(this.halfOpen);
			permit(this.halfOpen);
			permit(this.halfOpen);
			permit(this.halfOpen);
			assertThat(isRejected(this.halfOpen)).isTrue();
			assertThat(this.halfOpen.nanosToPermit(now())).isZero();
			assertThat(this.halfOpen.timeToProbe()).isNull();
			assertThat(this.halfOpen.rejection(now()))
				.hasMessage("Circuit breaker payments is half-open; the call was not made.");
			first.released();
			permit(this.halfOpen);
			assertThat(isRejected(this.halfOpen)).isTrue();
		}

		@Test
		void givesNoSecondPermitForAProbeThatHasEnded() {
			permit(this.halfOpen).succeeded(1, now());
			permit(this.halfOpen).failed(1, now(), null);
			permit(this.halfOpen);
			permit(this.halfOpen);
			assertThat(isRejected(this.halfOpen)).isTrue();
			assertThat(this.halfOpen.counts()).isEqualTo(new Counts(2, 1, 0));
			assertThat(this.halfOpen.counts().failureRate()).isEqualTo(0.5);
		}

		@Test
		void closesWithNothingCountedWhenAllSucceed() {
			succeed(this.halfOpen, 3);
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.HALF_OPEN);
			succeed(this.halfOpen, 1);
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.CLOSED);
			assertThat(this.halfOpen.counts()).isEqualTo(Counts.NONE);
			assertThat(CircuitBreakerTests.this.told).containsExactly("HALF_OPEN -> CLOSED");
		}

		@Test
		void closesWhenFewerFailThanTheLimit() {
			fail(this.halfOpen, 1);
			succeed(this.halfOpen, 3);
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.CLOSED);
		}

		@Test
		void opensForAWholeTimeWhenTooManyFail() {
			fail(this.halfOpen, 2);
			succeed(this.halfOpen, 2);
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.OPEN);
			assertThat(this.halfOpen.timeToProbe()).isEqualTo(Duration.ofSeconds(15));
			assertThat(this.halfOpen.counts()).isEqualTo(new Counts(4, 2, 0));
			assertThat(CircuitBreakerTests.this.told).containsExactly("HALF_OPEN -> OPEN");
		}

		@Test
		void opensWhenTooManyAreSlow() {
			succeedSlowly(this.halfOpen, 4);
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.OPEN);
			assertThat(this.halfOpen.counts()).isEqualTo(new Counts(4, 0, 4));
		}

		@Test
		void opensWhenAProbeHangs() {
			permit(this.halfOpen);
			succeed(this.halfOpen, 3);
			assertThat(isRejected(this.halfOpen)).isTrue();
			CircuitBreakerTests.this.time.advance(OPEN_FOR.minusNanos(1));
			assertThat(isRejected(this.halfOpen)).isTrue();
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.HALF_OPEN);
			CircuitBreakerTests.this.time.advance(Duration.ofNanos(1));
			assertThat(this.halfOpen.tryAcquire(now())).isNull();
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.OPEN);
			assertThat(this.halfOpen.timeToProbe()).isEqualTo(Duration.ofSeconds(15));
			waitForProbe(this.halfOpen);
			assertThat(isRejected(this.halfOpen)).isFalse();
		}

		@Test
		void measuresTheTimeFromTheFirstProbeUnderWay() {
			permit(this.halfOpen);
			CircuitBreakerTests.this.time.advance(OPEN_FOR.minusNanos(1));
			succeed(this.halfOpen, 1);
			assertThat(this.halfOpen.isPermitting(now())).isTrue();
			CircuitBreakerTests.this.time.advance(Duration.ofNanos(1));
			assertThat(isRejected(this.halfOpen)).isTrue();
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.OPEN);
		}

		@Test
		void opensWhenAskedWhetherItPermitsAfterTheTimeForProbes() {
			permit(this.halfOpen);
			CircuitBreakerTests.this.time.advance(OPEN_FOR);
			assertThat(this.halfOpen.isPermitting(now())).isFalse();
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.OPEN);
		}

		@ParameterizedTest
		@ValueSource(booleans = { true, false })
		void opensWhenAProbeEndsAfterItsTime(boolean success) {
			Permit late = permit(this.halfOpen);
			CircuitBreakerTests.this.time.advance(OPEN_FOR);
			if (success) {
				late.succeeded(1, now());
			}
			else {
				late.failed(1, now(), null);
			}
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.OPEN);
			assertThat(CircuitBreakerTests.this.told).containsExactly("HALF_OPEN -> OPEN");
		}

		@Test
		void growsItsNextTimeOpenWhenAProbeHangs() {
			CircuitBreaker growing = halfOpened(settings().openForMultiplier(2));
			permit(growing);
			CircuitBreakerTests.this.time.advance(OPEN_FOR);
			assertThat(isRejected(growing)).isTrue();
			assertThat(growing.timeToProbe()).isEqualTo(Duration.ofSeconds(30));
		}

		@Test
		void waitsForCallsThatAreRareWithoutRejectingThem() {
			for (int i = 0; i < 4; i++) {
				CircuitBreakerTests.this.time.advance(Duration.ofMinutes(10));
				assertThat(this.halfOpen.state()).isEqualTo(BreakerState.HALF_OPEN);
				succeed(this.halfOpen, 1);
			}
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.CLOSED);
		}

		@Test
		void takesAPermitGivenBackTwiceOnce() {
			Permit first = permit(this.halfOpen);
			permit(this.halfOpen).released();
			first.released();
			first.released();
			first.succeeded(1, now());
			assertThat(this.halfOpen.counts()).isEqualTo(Counts.NONE);
			for (int i = 0; i < 4; i++) {
				permit(this.halfOpen);
			}
			assertThat(isRejected(this.halfOpen)).isTrue();
		}

		@Test
		void ignoresResultsOfCallsThatBeganEarlier() {
			CircuitBreaker of1 = breaker(settings().probes(1));
			Permit closed = permit(of1);
			of1.open();
			waitForProbe(of1);
			Permit probe = permit(of1);
			for (int i = 0; i < 10; i++) {
				closed.failed(1, now(), null);
				closed.succeeded(1, now());
			}
			assertThat(of1.state()).isEqualTo(BreakerState.HALF_OPEN);
			assertThat(of1.counts()).isEqualTo(Counts.NONE);
			probe.succeeded(1, now());
			for (int i = 0; i < 10; i++) {
				closed.failed(1, now(), null);
				probe.failed(1, now(), null);
			}
			assertThat(of1.state()).isEqualTo(BreakerState.CLOSED);
			assertThat(of1.counts()).isEqualTo(Counts.NONE);
		}

		@Test
		void letsExactlyItsProbesThroughAmongManyThreads() {
			for (int round = 0; round < 20; round++) {
				CircuitBreaker contended = opened(settings().probes(5));
				waitForProbe(contended);
				AtomicInteger entries = new AtomicInteger();
				List<Permit> permits = new ArrayList<>();
				Crowd.of(64, (number) -> {
					Permit permit = contended.tryAcquire(now());
					if (permit != null) {
						entries.incrementAndGet();
						synchronized (permits) {
							permits.add(permit);
						}
					}
				});
				assertThat(entries).hasValue(5);
				assertThat(contended.rejected()).isEqualTo(59);
				assertThat(CircuitBreakerTests.this.told).containsExactly("OPEN -> HALF_OPEN");
				CircuitBreakerTests.this.told.clear();
				Crowd.of(5, (number) -> permits.get(number).succeeded(1, now()));
				assertThat(contended.state()).isEqualTo(BreakerState.CLOSED);
				assertThat(CircuitBreakerTests.this.told).containsExactly("HALF_OPEN -> CLOSED");
			}
		}

		@Test
		void rejectsNobodyWhileItHasPermits() {
			for (int round = 0; round < 50; round++) {
				CircuitBreaker contended = opened(settings().probes(16));
				waitForProbe(contended);
				long now = now();
				CyclicBarrier together = new CyclicBarrier(16);
				Crowd.of(16, (number) -> {
					await(together);
					assertThat(contended.tryAcquire(now)).isNotNull();
				});
				assertThat(contended.rejected()).isZero();
				assertThat(contended.tryAcquire(now)).isNull();
			}
		}

		private static void await(CyclicBarrier barrier) {
			try {
				barrier.await();
			}
			catch (InterruptedException | BrokenBarrierException ex) {
				throw new AssertionError(ex);
			}
		}

		@Test
		void neverHasMoreOutThanItsProbesWhileSomeComeBack() {
			for (int round = 0; round < 10; round++) {
				CircuitBreaker contended = halfOpened(settings().probes(3));
				AtomicInteger out = new AtomicInteger();
				AtomicInteger most = new AtomicInteger();
				Crowd.of(64, (number) -> {
					for (int i = 0; i < 50; i++) {
						Permit permit = contended.tryAcquire(now());
						if (permit != null) {
							most.accumulateAndGet(out.incrementAndGet(), Math::max);
							out.decrementAndGet();
							permit.released();
						}
					}
				});
				assertThat(most.get()).isBetween(1, 3);
				assertThat(contended.state()).isEqualTo(BreakerState.HALF_OPEN);
				for (int i = 0; i < 3; i++) {
					permit(contended);
				}
				assertThat(isRejected(contended)).isTrue();
			}
		}

	}

	@Nested
	class ByHand {

		private final CircuitBreaker breaker = breaker(settings());

		@Test
		void isForcedOpenUntilToldOtherwise() {
			this.breaker.forceOpen();
			assertThat(this.breaker.state()).isEqualTo(BreakerState.FORCED_OPEN);
			CircuitBreakerTests.this.time.advance(Duration.ofDays(365));
			assertThat(isRejected(this.breaker)).isTrue();
			assertThat(this.breaker.rejected()).isEqualTo(1);
			assertThat(this.breaker.nanosToPermit(now())).isZero();
			assertThat(this.breaker.timeToProbe()).isNull();
			assertThat(this.breaker.counts()).isEqualTo(Counts.NONE);
			assertThat(this.breaker.rejection(now()))
				.hasMessage("Circuit breaker payments is forced-open since 8760 h 0 min; the call was not made.");
			this.breaker.reset();
			assertThat(isRejected(this.breaker)).isFalse();
			assertThat(CircuitBreakerTests.this.told).containsExactly("CLOSED -> FORCED_OPEN", "FORCED_OPEN -> CLOSED");
		}

		@Test
		void permitsAllAndCountsNothingDisabled() {
			this.breaker.disable();
			CircuitBreakerTests.this.told.clear();
			fail(this.breaker, 100);
			succeed(this.breaker, 10);
			permit(this.breaker).released();
			assertThat(isRejected(this.breaker)).isFalse();
			assertThat(this.breaker.state()).isEqualTo(BreakerState.DISABLED);
			assertThat(this.breaker.counts()).isEqualTo(Counts.NONE);
			assertThat(this.breaker.counts().failureRate()).isNaN();
			assertThat(CircuitBreakerTests.this.told).isEmpty();
		}

		@Test
		void onlyCountsAndTellsOnce() {
			this.breaker.metricsOnly();
			CircuitBreakerTests.this.told.clear();
			fail(this.breaker, 3);
			assertThat(CircuitBreakerTests.this.told).isEmpty();
			fail(this.breaker, 30);
			succeedSlowly(this.breaker, 11);
			assertThat(this.breaker.state()).isEqualTo(BreakerState.METRICS_ONLY);
			assertThat(this.breaker.counts()).isEqualTo(new Counts(44, 33, 11));
			assertThat(this.breaker.counts().failureRate()).isEqualTo(0.75);
			assertThat(this.breaker.counts().slowRate()).isEqualTo(0.25);
			assertThat(isRejected(this.breaker)).isFalse();
			assertThat(CircuitBreakerTests.this.told).containsExactly("threshold exceeded");
			this.breaker.metricsOnly();
			assertThat(this.breaker.counts()).isEqualTo(Counts.NONE);
			succeedSlowly(this.breaker, 4);
			assertThat(CircuitBreakerTests.this.told).containsExactly("threshold exceeded", "threshold exceeded");
		}

		@Test
		void tellsNothingOfCallsThatEndAfterItHasStoppedCounting() {
			this.breaker.metricsOnly();
			fail(this.breaker, 3);
			Permit late = permit(this.breaker);
			this.breaker.disable();
			CircuitBreakerTests.this.told.clear();
			late.failed(1, now(), null);
			assertThat(CircuitBreakerTests.this.told).isEmpty();
		}

		@Test
		void opensAsIfTooManyHadFailed() {
			this.breaker.open();
			assertThat(this.breaker.state()).isEqualTo(BreakerState.OPEN);
			assertThat(this.breaker.timeToProbe()).isEqualTo(Duration.ofSeconds(15));
		}

		@Test
		void opensForAGivenTimeAndThenAsEver() {
			this.breaker.openFor(Duration.ofMinutes(10));
			assertThat(this.breaker.timeToProbe()).isEqualTo(Duration.ofMinutes(10));
			CircuitBreakerTests.this.time.advance(Duration.ofMinutes(10).minusNanos(1));
			assertThat(isRejected(this.breaker)).isTrue();
			CircuitBreakerTests.this.time.advance(Duration.ofNanos(1));
			fail(this.breaker, 3);
			assertThat(this.breaker.timeToProbe()).isEqualTo(Duration.ofSeconds(15));
			this.breaker.openFor(Duration.ofSeconds(1));
			assertThat(this.breaker.timeToProbe()).isEqualTo(Duration.ofSeconds(1));
			this.breaker.openFor(Duration.ofSeconds(Long.MAX_VALUE));
			assertThat(this.breaker.timeToProbe()).isEqualTo(Duration.ofNanos(Long.MAX_VALUE));
		}

		@Test
		void opensForATimeAboveZeroOnly() {
			assertThatIllegalArgumentException().isThrownBy(() -> this.breaker.openFor(Duration.ZERO))
				.withMessage("Invalid duration (0ms): must be above zero.");
			assertThatIllegalArgumentException().isThrownBy(() -> this.breaker.openFor(Duration.ofSeconds(-5)))
				.withMessage("Invalid duration (-5s): must be above zero.");
			assertThat(this.breaker.state()).isEqualTo(BreakerState.CLOSED);
		}

		@ParameterizedTest
		@MethodSource("dev.backoff.breaker.CircuitBreakerTests#hands")
		void isResetFromAnyState(Consumer<CircuitBreaker> hand) {
			hand.accept(this.breaker);
			this.breaker.tryAcquire(now());
			fail(breakerClosedAgain(), 1);
			assertThat(this.breaker.state()).isEqualTo(BreakerState.CLOSED);
			this.breaker.forceOpen();
			assertThat(isRejected(this.breaker)).isTrue();
			hand.accept(this.breaker);
			this.breaker.reset();
			assertThat(this.breaker.state()).isEqualTo(BreakerState.CLOSED);
			assertThat(this.breaker.counts()).isEqualTo(Counts.NONE);
			assertThat(this.breaker.timeToProbe()).isNull();
			fail(this.breaker, 4);
			assertThat(this.breaker.timeToProbe()).isEqualTo(Duration.ofSeconds(15));
		}

		private CircuitBreaker breakerClosedAgain() {
			this.breaker.reset();
			assertThat(this.breaker.counts()).isEqualTo(Counts.NONE);
			return this.breaker;
		}

		@Test
		void keepsTheNumberOfRejectedCallsWhenItIsReset() {
			this.breaker.open();
			this.breaker.tryAcquire(now());
			this.breaker.reset();
			assertThat(this.breaker.rejected()).isEqualTo(1);
		}

		@Test
		void tellsNobodyWhenTheStateStaysTheSame() {
			this.breaker.reset();
			assertThat(CircuitBreakerTests.this.told).isEmpty();
		}

	}

	static List<Consumer<CircuitBreaker>> hands() {
		return List.of(CircuitBreaker::reset, CircuitBreaker::open, CircuitBreaker::forceOpen, CircuitBreaker::disable,
				CircuitBreaker::metricsOnly, (breaker) -> breaker.openFor(Duration.ofNanos(1)));
	}

	@Nested
	class Calls {

		private final CircuitBreaker breaker = breaker(settings());

		@Test
		void returnWhatTheWorkReturnsAndCountItsTime() {
			assertThat(this.breaker.<String, RuntimeException>call(() -> "paid")).isEqualTo("paid");
			assertThat(this.breaker.<String, RuntimeException>call(() -> {
				CircuitBreakerTests.this.time.advance(SLOW.plusNanos(1));
				return null;
			})).isNull();
			assertThat(this.breaker.counts()).isEqualTo(new Counts(2, 0, 1));
		}

		@Test
		void throwWhatTheWorkThrows() {
			IOException failure = new IOException("refused");
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.breaker.call(() -> {
				CircuitBreakerTests.this.time.advance(SLOW.plusNanos(1));
				throw failure;
			})).isSameAs(failure);
			assertThat(this.breaker.counts()).isEqualTo(new Counts(1, 1, 1));
		}

		@Test
		void runNothingWhenRejected() {
			this.breaker.openFor(Duration.ofSeconds(20));
			AtomicInteger runs = new AtomicInteger();
			assertThatExceptionOfType(CircuitOpenException.class)
				.isThrownBy(() -> this.breaker.call(runs::incrementAndGet))
				.withMessage("Circuit breaker payments is open since 0 ms, for another 20 s; the call was not made.");
			assertThat(runs).hasValue(0);
			assertThat(this.breaker.rejected()).isEqualTo(1);
		}

		@ParameterizedTest
		@MethodSource("dev.backoff.breaker.CircuitBreakerTests#saysNothing")
		void countNothingThatSaysNothing(Throwable thrown) {
			CircuitBreaker halfOpen = halfOpened(settings().probes(1));
			for (int i = 0; i < 3; i++) {
				assertThatExceptionOfType(Throwable.class).isThrownBy(() -> callAndThrow(halfOpen, thrown))
					.isSameAs(thrown);
			}
			assertThat(halfOpen.state()).isEqualTo(BreakerState.HALF_OPEN);
			assertThat(halfOpen.counts()).isEqualTo(Counts.NONE);
			assertThat(isRejected(halfOpen)).isFalse();
		}

		@Test
		void giveTheirPermitBackWhateverHappens() {
			CircuitBreaker halfOpen = halfOpened(settings().probes(2));
			halfOpen.call(() -> 1);
			assertThatExceptionOfType(StackOverflowError.class)
				.isThrownBy(() -> callAndThrow(halfOpen, new StackOverflowError()));
			assertThatIllegalStateException().isThrownBy(() -> callAndThrow(halfOpen, new IllegalStateException()));
			assertThat(halfOpen.state()).isEqualTo(BreakerState.OPEN);
			assertThat(halfOpen.counts()).isEqualTo(new Counts(2, 1, 0));
		}

		@Test
		void askTheVerdict() {
			CircuitBreaker judging = builder(settings())
				.verdict((ex) -> (ex instanceof IOException) ? Verdict.ANSWERED
						: (ex instanceof IllegalStateException) ? Verdict.IGNORED : Verdict.FAILED)
				.build();
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> callAndThrow(judging, new IOException()));
			assertThat(judging.counts()).isEqualTo(new Counts(1, 0, 0));
			assertThatIllegalStateException().isThrownBy(() -> callAndThrow(judging, new IllegalStateException()));
			assertThat(judging.counts()).isEqualTo(new Counts(1, 0, 0));
			assertThatExceptionOfType(Error.class).isThrownBy(() -> callAndThrow(judging, new Error()));
			assertThat(judging.counts()).isEqualTo(new Counts(2, 1, 0));
		}

		@Test
		void countAFailureWhenTheVerdictThrowsOrIsMissing() {
			IOException failure = new IOException("refused");
			CircuitBreaker throwing = builder(settings()).verdict((ex) -> {
				throw new IllegalStateException("no verdict");
			}).build();
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> callAndThrow(throwing, failure))
				.isSameAs(failure);
			assertThat(failure).hasNoSuppressedExceptions();
			assertThat(throwing.counts()).isEqualTo(new Counts(1, 1, 0));
			CircuitBreaker missing = builder(settings()).verdict((ex) -> null).build();
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> callAndThrow(missing, failure))
				.isSameAs(failure);
			assertThat(missing.counts()).isEqualTo(new Counts(1, 1, 0));
		}

		@Test
		void leaveTheInterruptFlagAlone() {
			assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> this.breaker.call(() -> {
				Thread.currentThread().interrupt();
				throw new CancellationException();
			}));
			assertThat(Thread.interrupted()).isTrue();
			assertThat(this.breaker.counts()).isEqualTo(Counts.NONE);
		}

		private static void callAndThrow(CircuitBreaker breaker, Throwable thrown) throws Throwable {
			breaker.call(() -> {
				throw thrown;
			});
		}

	}

	static List<Throwable> saysNothing() {
		return List.of(new OutOfMemoryError(), new AssertionError(), new InterruptedException(),
				new CircuitOpenException("stock", "open", null, null));
	}

	@Nested
	class Listeners {

		@Test
		void areIgnoredWhenTheyThrow() {
			CircuitBreaker told = builder(settings().probes(1)).listener(new CircuitBreaker.Listener() {

				@Override
				public void transition(CircuitBreaker breaker, BreakerState from, BreakerState to) {
					throw new AssertionError("listener");
				}

				@Override
				public void thresholdExceeded(CircuitBreaker breaker) {
					throw new AssertionError("listener");
				}

			}).build();
			fail(told, 4);
			assertThat(told.state()).isEqualTo(BreakerState.OPEN);
			waitForProbe(told);
			succeed(told, 1);
			assertThat(told.state()).isEqualTo(BreakerState.CLOSED);
			told.metricsOnly();
			fail(told, 4);
			assertThat(told.counts()).isEqualTo(new Counts(4, 4, 0));
		}

		@Test
		void findTheBreakerInItsNewStateAndMayMoveIt() {
			List<BreakerState> found = new ArrayList<>();
			CircuitBreaker told = builder(settings()).listener(new CircuitBreaker.Listener() {

				@Override
				public void transition(CircuitBreaker breaker, BreakerState from, BreakerState to) {
					found.add(breaker.state());
					if (to == BreakerState.OPEN) {
						breaker.reset();
						breaker.call(() -> 1);
					}
				}

			}).build();
			fail(told, 4);
			assertThat(found).containsExactly(BreakerState.OPEN, BreakerState.CLOSED);
			assertThat(told.state()).isEqualTo(BreakerState.CLOSED);
			assertThat(told.counts()).isEqualTo(new Counts(1, 0, 0));
		}

		@Test
		void holdUpNoOtherCallWhenTheyBlock() {
			CountDownLatch entered = new CountDownLatch(1);
			CountDownLatch free = new CountDownLatch(1);
			CircuitBreaker told = builder(settings()).listener(new CircuitBreaker.Listener() {

				@Override
				public void transition(CircuitBreaker breaker, BreakerState from, BreakerState to) {
					entered.countDown();
					awaitUninterrupted(free);
				}

			}).build();
			Crowd.of(2, (number) -> {
				if (number == 0) {
					fail(told, 4);
				}
				else {
					awaitUninterrupted(entered);
					assertThat(told.state()).isEqualTo(BreakerState.OPEN);
					assertThat(told.tryAcquire(now())).isNull();
					assertThat(told.counts()).isEqualTo(new Counts(4, 4, 0));
					free.countDown();
				}
			});
			assertThat(told.rejected()).isEqualTo(1);
		}

		@Test
		void needNoMethod() {
			CircuitBreaker untold = builder(settings()).listener(CircuitBreaker.Listener.NONE).build();
			fail(untold, 4);
			assertThat(untold.state()).isEqualTo(BreakerState.OPEN);
		}

		private static void awaitUninterrupted(CountDownLatch latch) {
			try {
				latch.await();
			}
			catch (InterruptedException ex) {
				throw new AssertionError(ex);
			}
		}

	}

	@Nested
	class Clocks {

		@Test
		void failNoCallWhenTheyThrow() {
			RetryTime broken = new RetryTime() {

				@Override
				public long nanoTime() {
					throw new IllegalStateException("no time");
				}

				@Override
				public void sleep(long nanos) {
				}

			};
			CircuitBreaker timeless = builder(settings()).time(broken).build();
			assertThat(timeless.<String, RuntimeException>call(() -> "paid")).isEqualTo("paid");
			assertThatIllegalStateException().isThrownBy(() -> timeless.call(() -> {
				throw new IllegalStateException("declined");
			})).withMessage("declined");
			assertThat(timeless.counts()).isEqualTo(new Counts(2, 1, 0));
			timeless.open();
			assertThat(timeless.timeToProbe()).isBetween(Duration.ZERO, Duration.ofSeconds(15));
			timeless.forceOpen();
			assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(() -> timeless.call(() -> 1));
		}

		@Test
		void keepABreakerOpenForOneMoreTimeAtWorstWhenTheyStepBack() {
			CircuitBreaker open = opened(settings());
			CircuitBreakerTests.this.time.stepBack(Duration.ofDays(100));
			assertThat(isRejected(open)).isTrue();
			assertThat(open.timeToProbe()).isEqualTo(Duration.ofSeconds(15));
			assertThat(open.rejection(now()).openFor()).isEqualTo(Duration.ZERO);
			CircuitBreakerTests.this.time.advance(Duration.ofSeconds(15));
			assertThat(isRejected(open)).isFalse();
		}

		@Test
		void keepAHangingProbeForOneMoreTimeAtWorstWhenTheyStepBack() {
			CircuitBreaker halfOpen = halfOpened(settings().probes(1));
			permit(halfOpen);
			CircuitBreakerTests.this.time.stepBack(Duration.ofDays(100));
			assertThat(isRejected(halfOpen)).isTrue();
			CircuitBreakerTests.this.time.advance(OPEN_FOR);
			assertThat(isRejected(halfOpen)).isTrue();
			assertThat(halfOpen.state()).isEqualTo(BreakerState.OPEN);
		}

		@Test
		void failNoCallWhenTheyStepBackDuringIt() {
			CircuitBreaker breaker = breaker(settings());
			assertThat(breaker.<String, RuntimeException>call(() -> {
				CircuitBreakerTests.this.time.stepBack(Duration.ofDays(1));
				return "paid";
			})).isEqualTo("paid");
			assertThat(breaker.counts()).isEqualTo(new Counts(1, 0, 0));
		}

	}

	/** What a listener was told, as text. */
	private static final class Transitions extends ArrayList<String> implements CircuitBreaker.Listener {

		private static final long serialVersionUID = 1L;

		@Override
		public void transition(CircuitBreaker breaker, BreakerState from, BreakerState to) {
			synchronized (this) {
				add(from + " -> " + to);
			}
		}

		@Override
		public void thresholdExceeded(CircuitBreaker breaker) {
			synchronized (this) {
				add("threshold exceeded");
			}
		}

	}

}
