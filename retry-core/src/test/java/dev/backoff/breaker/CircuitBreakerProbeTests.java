package dev.backoff.breaker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.delay.RandomSource;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.RandomSources;
import dev.backoff.window.OutcomeWindow.Counts;

import static org.assertj.core.api.Assertions.assertThat;

/** How long a breaker is open, and what its probes come to. */
class CircuitBreakerProbeTests extends BreakerFixture {

	@Nested
	class OpenBreaker {

		private final CircuitBreaker open = opened(settings());

		@Test
		void explainsItselfInAnException() {
			time().advance(Duration.ofSeconds(2));
			CircuitOpenException ex = this.open.rejection(now());
			assertThat(ex)
				.hasMessage("Circuit breaker payments is open since 2 s, for another 13 s; the call was not made.");
			assertThat(ex.breaker()).isEqualTo("payments");
			assertThat(ex.timeToProbe()).isEqualTo(Duration.ofSeconds(13));
			time().stepBack(Duration.ofDays(100));
			assertThat(this.open.rejection(now())).hasMessageContaining(" is open since 0 ms, ");
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
		void growsUpToAnHour() {
			assertThat(grown(settings().openForMultiplier(10), 3)).isEqualTo(Duration.ofMinutes(30));
			assertThat(grown(settings().openForMultiplier(Double.MAX_VALUE), 5)).isEqualTo(Duration.ofMinutes(30));
			assertThat(grown(settings().openForMultiplier(1.01), 500)).isEqualTo(Duration.ofMinutes(30));
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
			assertThat(this.halfOpen)
				.hasToString("CircuitBreaker payments (half-open, " + this.halfOpen.settings() + ")");
			first.released();
			permit(this.halfOpen);
			assertThat(isRejected(this.halfOpen)).isTrue();
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
		void letsExactlyItsProbesThroughAmongManyThreads() {
			for (int round = 0; round < 20; round++) {
				CircuitBreaker contended = opened(settings().probes(5));
				waitForProbe(contended);
				AtomicInteger out = new AtomicInteger();
				Crowd.of(64, (number) -> {
					for (int i = 0; i < 20; i++) {
						Permit permit = contended.tryAcquire(now());
						if (permit != null) {
							assertThat(out.incrementAndGet()).isLessThanOrEqualTo(5);
							out.decrementAndGet();
							permit.released();
						}
					}
				});
				long rejected = contended.rejected();
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
				assertThat(contended.rejected()).isEqualTo(rejected + 59);
				assertThat(told()).containsExactly("OPEN -> HALF_OPEN");
				told().clear();
				Crowd.of(5, (number) -> permits.get(number).succeeded(1, now()));
				assertThat(contended.state()).isEqualTo(BreakerState.CLOSED);
				assertThat(told()).containsExactly("HALF_OPEN -> CLOSED");
			}
		}

	}

}
