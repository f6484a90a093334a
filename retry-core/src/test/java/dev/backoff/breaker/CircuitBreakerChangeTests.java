package dev.backoff.breaker;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.fixture.Crowd;
import dev.backoff.window.OutcomeWindow.Counts;
import dev.backoff.window.OutcomeWindow.WindowLength;

import static org.assertj.core.api.Assertions.assertThat;

class CircuitBreakerChangeTests extends BreakerFixture {

	private void change(BreakerSettings.Builder settings) {
		breaker().change(settings.build());
	}

	private Permit permit() {
		return permit(breaker());
	}

	private void succeed(int times) {
		succeed(breaker(), times);
	}

	private void fail(int times) {
		fail(breaker(), times);
	}

	private void becomeHalfOpen() {
		breaker().open();
		time().advance(Duration.ofNanos(breaker().nanosToPermit(now())));
		permit().released();
		assertThat(breaker().state()).isEqualTo(BreakerState.HALF_OPEN);
		told().clear();
	}

	@Test
	void ofEqualNumbersIsNone() {
		BreakerSettings before = breaker().settings();
		fail(3);
		change(settings());
		assertThat(breaker().settings()).isSameAs(before);
		assertThat(breaker().counts()).isEqualTo(new Counts(3, 3, 0));
	}

	@Test
	void showsInWhatItTells() {
		change(settings().awaited(true).openFor(Duration.ofMinutes(3)));
		assertThat(breaker().isAwaited()).isTrue();
		assertThat(breaker().settings().openFor()).isEqualTo(Duration.ofMinutes(3));
		assertThat(breaker()).hasToString("CircuitBreaker payments (closed, " + breaker().settings().toString() + ")");
	}

	@Nested
	class Closed {

		@Test
		void keepsItsCountsUnderOtherRates() {
			succeed(7);
			fail(3);
			change(settings().failureRate(0.4));
			assertThat(breaker().state()).isEqualTo(BreakerState.CLOSED);
			assertThat(breaker().counts()).isEqualTo(new Counts(10, 3, 0));
			fail(2);
			assertThat(breaker().state()).isEqualTo(BreakerState.OPEN);
		}

		@Test
		void needsAsManyCallsAsTheNewNumbersSay() {
			fail(3);
			change(settings().minimumCalls(6));
			fail(2);
			assertThat(breaker().state()).isEqualTo(BreakerState.CLOSED);
			fail(1);
			assertThat(breaker().state()).isEqualTo(BreakerState.OPEN);
		}

		@Test
		void startsEmptyWithAnotherWindow() {
			fail(3);
			change(settings().window(WindowLength.ofCalls(10)));
			assertThat(breaker().state()).isEqualTo(BreakerState.CLOSED);
			assertThat(breaker().counts()).isEqualTo(Counts.NONE);
			fail(3);
			assertThat(breaker().state()).isEqualTo(BreakerState.CLOSED);
			fail(1);
			assertThat(told()).containsExactly("CLOSED -> OPEN");
		}

		@Test
		void startsEmptyWhereOtherCallsAreSlow() {
			permit().succeeded(Duration.ofSeconds(3).toNanos(), now());
			change(settings().slowCall(Duration.ofSeconds(1)));
			assertThat(breaker().counts()).isEqualTo(Counts.NONE);
			permit().succeeded(Duration.ofSeconds(1).toNanos() + 1, now());
			assertThat(breaker().counts()).isEqualTo(new Counts(1, 0, 1));
		}

		@Test
		void ignoresCallsThatBeganBeforeAnotherWindow() {
			Permit before = permit();
			change(settings().window(WindowLength.of(Duration.ofMinutes(5))));
			before.failed(1, now(), null);
			assertThat(breaker().counts()).isEqualTo(Counts.NONE);
		}

		@Test
		void countsCallsThatBeganBeforeOtherNumbers() {
			Permit before = permit();
			change(settings().failureRate(0.4));
			before.failed(1, now(), null);
			assertThat(breaker().counts()).isEqualTo(new Counts(1, 1, 0));
		}

		@Test
		void opensForTheNewTime() {
			change(settings().openFor(Duration.ofMinutes(10)));
			fail(4);
			assertThat(breaker().timeToProbe()).isEqualTo(Duration.ofMinutes(5));
		}

	}

	@Nested
	class Open {

		private final CircuitBreaker open = breaker();

		@Test
		void staysOpenForAPartOfTheNewTimeAsItWasOfTheOld() {
			fail(4);
			time().advance(Duration.ofSeconds(5));
			assertThat(this.open.timeToProbe()).isEqualTo(Duration.ofSeconds(10));
			change(settings().openFor(Duration.ofMinutes(2)));
			assertThat(this.open.timeToProbe()).isEqualTo(Duration.ofSeconds(55));
			change(settings().openFor(Duration.ofSeconds(20)));
			assertThat(this.open.timeToProbe()).isEqualTo(Duration.ofSeconds(5));
			assertThat(this.open.counts()).isEqualTo(new Counts(4, 4, 0));
			assertThat(told()).containsExactly("CLOSED -> OPEN");
		}

		@Test
		void probesAtOnceWhereTheNewTimeIsOver() {
			fail(4);
			time().advance(Duration.ofSeconds(5));
			change(settings().openFor(Duration.ofSeconds(1)));
			succeed(1);
			assertThat(this.open.state()).isEqualTo(BreakerState.HALF_OPEN);
		}

		@Test
		void keepsTheTimeThatWasSetByHand() {
			this.open.openFor(Duration.ofHours(3));
			change(settings().openFor(Duration.ofSeconds(1)).window(WindowLength.ofCalls(5)));
			assertThat(this.open.timeToProbe()).isEqualTo(Duration.ofHours(3));
		}

		@Test
		void closesWithTheNewWindow() {
			fail(4);
			change(settings().window(WindowLength.ofCalls(5)).probes(1));
			time().advance(Duration.ofSeconds(30));
			succeed(1 + 20);
			assertThat(this.open.counts()).isEqualTo(new Counts(5, 0, 0));
		}

	}

	@Nested
	class HalfOpen {

		private final CircuitBreaker halfOpen = breaker();

		@Test
		void closesWithTheLastOfFewerProbes() {
			becomeHalfOpen();
			Permit first = permit();
			Permit second = permit();
			change(settings().probes(1));
			assertThat(this.halfOpen.isPermitting(now())).isFalse();
			assertThat(this.halfOpen.tryAcquire(now())).isNull();
			first.succeeded(1, now());
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.CLOSED);
			second.failed(1, now(), null);
			assertThat(this.halfOpen.counts()).isEqualTo(Counts.NONE);
		}

		@Test
		void closesAtOnceWhereEnoughProbesHaveEnded() {
			becomeHalfOpen();
			succeed(2);
			change(settings().probes(2));
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.CLOSED);
			assertThat(told()).containsExactly("HALF_OPEN -> CLOSED");
		}

		@Test
		void opensAtOnceWhereTooManyProbesHaveFailed() {
			becomeHalfOpen();
			fail(2);
			change(settings().probes(1));
			assertThat(told()).containsExactly("HALF_OPEN -> OPEN");
		}

		@Test
		void permitsFurtherProbesWhereMoreAreWanted() {
			becomeHalfOpen();
			succeed(2);
			Permit third = permit();
			assertThat(this.halfOpen.tryAcquire(now())).isNull();
			change(settings().probes(4));
			Permit fourth = permit();
			assertThat(this.halfOpen.tryAcquire(now())).isNull();
			third.succeeded(1, now());
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.HALF_OPEN);
			fourth.succeeded(1, now());
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.CLOSED);
		}

		@Test
		void staysSoUnderAnotherWindow() {
			becomeHalfOpen();
			Permit probe = permit();
			change(settings().window(WindowLength.ofCalls(5)));
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.HALF_OPEN);
			probe.succeeded(1, now());
			assertThat(this.halfOpen.counts()).isEqualTo(new Counts(1, 0, 0));
			succeed(2 + 20);
			assertThat(this.halfOpen.counts()).isEqualTo(new Counts(5, 0, 0));
		}

		@Test
		void waitsNoLongerForItsProbesThanTheNewNumbersSay() {
			becomeHalfOpen();
			permit();
			change(settings().halfOpenTimeout(Duration.ofSeconds(7)));
			time().advance(Duration.ofSeconds(7).minusNanos(1));
			assertThat(this.halfOpen.isPermitting(now())).isTrue();
			time().advance(Duration.ofNanos(1));
			assertThat(this.halfOpen.isPermitting(now())).isFalse();
			assertThat(this.halfOpen.state()).isEqualTo(BreakerState.OPEN);
		}

	}

	@ParameterizedTest
	@EnumSource(names = { "FORCED_OPEN", "DISABLED" })
	void leavesWhatWasSetByHand(BreakerState state) {
		if (state == BreakerState.FORCED_OPEN) {
			breaker().forceOpen();
		}
		else {
			breaker().disable();
		}
		told().clear();
		change(settings().window(WindowLength.ofCalls(5)).minimumCalls(5).probes(1).openFor(Duration.ofSeconds(1)));
		time().advance(Duration.ofHours(1));
		assertThat(breaker().state()).isEqualTo(state);
		assertThat(told()).isEmpty();
	}

	@Test
	void neverLeavesAProbeStuckAmongManyThreads() {
		for (int round = 0; round < 200; round++) {
			becomeHalfOpen();
			AtomicInteger probes = new AtomicInteger();
			Crowd.of(9, (number) -> {
				if (number == 8) {
					for (int probe = 1; probe <= 40; probe++) {
						change(settings().probes(1 + probe % 5));
					}
					return;
				}
				for (int i = 0; i < 20; i++) {
					Permit permit = breaker().tryAcquire(now());
					if (permit != null) {
						probes.incrementAndGet();
						permit.succeeded(1, now());
					}
				}
			});
			// what is still missing may be had, and no more
			change(settings().probes(5));
			for (int i = 0; i < 5 && breaker().state() == BreakerState.HALF_OPEN; i++) {
				succeed(1);
			}
			assertThat(breaker().state()).isEqualTo(BreakerState.CLOSED);
			assertThat(probes.get()).isPositive();
		}
	}

	@Test
	void countsByTheLastWindowAmongManyThreads() {
		for (int round = 0; round < 50; round++) {
			breaker().reset();
			Crowd.of(8, (number) -> {
				for (int i = 0; i < 50; i++) {
					if (number % 2 == 0) {
						change(settings().window(WindowLength.ofCalls(10 + number + i)));
					}
					else if (number == 1) {
						breaker().reset();
					}
					else {
						Permit permit = breaker().tryAcquire(now());
						if (permit != null) {
							permit.failed(1, now(), null);
						}
					}
				}
			});
			int window = breaker().settings().window().calls();
			breaker().change(settings().window(WindowLength.ofCalls(window)).failureRate(1).build());
			if (breaker().state() == BreakerState.OPEN) {
				time().advance(Duration.ofNanos(breaker().nanosToPermit(now())));
				succeed(3);
			}
			succeed(200);
			assertThat(breaker().counts()).isEqualTo(new Counts(window, 0, 0));
		}
	}

}
