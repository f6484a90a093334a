package dev.backoff.breaker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.delay.RandomSource;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.window.OutcomeWindow.Counts;

import static org.assertj.core.api.Assertions.assertThat;

/** How long a breaker is open, and what its probes come to. */
class CircuitBreakerProbeTests extends BreakerFixture {

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
			time().advance(Duration.ofSeconds(14));
			assertThat(this.open.timeToProbe()).isEqualTo(Duration.ofSeconds(1));
			assertThat(this.open.nanosToPermit(now())).isEqualTo(1_000_000_000);
			time().advance(Duration.ofSeconds(20));
			assertThat(this.open.timeToProbe()).isNull();
			assertThat(this.open.nanosToPermit(now())).isZero();
		}

		@Test
		void explainsItselfInAnException() {
			time().advance(Duration.ofSeconds(2));
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
			time().advance(Duration.ofSeconds(15).minusNanos(1));
			assertThat(isRejected(this.open)).isTrue();
			assertThat(this.open.state()).isEqualTo(BreakerState.OPEN);
			time().advance(Duration.ofNanos(1));
			assertThat(this.open.isPermitting(now())).isTrue();
			assertThat(isRejected(this.open)).isFalse();
		}

		@Test
		void isHalfOpenWhenItsProbeIsDueAndTellsSoWithTheProbe() {
			time().advance(Duration.ofSeconds(15));
			assertThat(this.open.state()).isEqualTo(BreakerState.HALF_OPEN);
			assertThat(this.open).hasToString("CircuitBreaker payments (half-open, " + this.open.settings() + ")");
			assertThat(told()).isEmpty();
			assertThat(isRejected(this.open)).isFalse();
			assertThat(this.open.state()).isEqualTo(BreakerState.HALF_OPEN);
			assertThat(told()).containsExactly("OPEN -> HALF_OPEN");
		}

		@Test
		void keepsTheCountsThatOpenedIt() {
			CircuitBreaker of4 = breaker(settings());
			succeed(of4, 1);
			fail(of4, 3);
			time().advance(Duration.ofHours(1));
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
			assertThat(told()).containsExactly("HALF_OPEN -> CLOSED");
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
			assertThat(told()).containsExactly("HALF_OPEN -> OPEN");
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
			time().advance(OPEN_FOR.minusNanos(1));
			assertThat(isRejected(this.halfOpen)).isTrue();
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.HALF_OPEN);
			time().advance(Duration.ofNanos(1));
			assertThat(this.halfOpen.tryAcquire(now())).isNull();
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.OPEN);
			assertThat(this.halfOpen.timeToProbe()).isEqualTo(Duration.ofSeconds(15));
			waitForProbe(this.halfOpen);
			assertThat(isRejected(this.halfOpen)).isFalse();
		}

		@Test
		void measuresTheTimeFromTheFirstProbeUnderWay() {
			permit(this.halfOpen);
			time().advance(OPEN_FOR.minusNanos(1));
			succeed(this.halfOpen, 1);
			assertThat(this.halfOpen.isPermitting(now())).isTrue();
			time().advance(Duration.ofNanos(1));
			assertThat(isRejected(this.halfOpen)).isTrue();
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.OPEN);
		}

		@Test
		void opensWhenAskedWhetherItPermitsAfterTheTimeForProbes() {
			permit(this.halfOpen);
			time().advance(OPEN_FOR);
			assertThat(this.halfOpen.isPermitting(now())).isFalse();
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.OPEN);
		}

		@ParameterizedTest
		@ValueSource(booleans = { true, false })
		void opensWhenAProbeEndsAfterItsTime(boolean success) {
			Permit late = permit(this.halfOpen);
			time().advance(OPEN_FOR);
			if (success) {
				late.succeeded(1, now());
			}
			else {
				late.failed(1, now(), null);
			}
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.OPEN);
			assertThat(told()).containsExactly("HALF_OPEN -> OPEN");
		}

		@Test
		void growsItsNextTimeOpenWhenAProbeHangs() {
			CircuitBreaker growing = halfOpened(settings().openForMultiplier(2));
			permit(growing);
			time().advance(OPEN_FOR);
			assertThat(isRejected(growing)).isTrue();
			assertThat(growing.timeToProbe()).isEqualTo(Duration.ofSeconds(30));
		}

		@Test
		void waitsForCallsThatAreRareWithoutRejectingThem() {
			for (int i = 0; i < 4; i++) {
				time().advance(Duration.ofMinutes(10));
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
				assertThat(told()).containsExactly("OPEN -> HALF_OPEN");
				told().clear();
				Crowd.of(5, (number) -> permits.get(number).succeeded(1, now()));
				assertThat(contended.state()).isEqualTo(BreakerState.CLOSED);
				assertThat(told()).containsExactly("HALF_OPEN -> CLOSED");
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

}
