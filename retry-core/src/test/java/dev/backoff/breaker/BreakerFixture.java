package dev.backoff.breaker;

import java.time.Duration;
import java.util.ArrayList;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.window.OutcomeWindow.WindowLength;

import static org.assertj.core.api.Assertions.assertThat;

/** Breakers in virtual time, and what they tell. Extend it to test them. */
abstract class BreakerFixture {

	static final Duration OPEN_FOR = Duration.ofSeconds(30);

	static final Duration SLOW = Duration.ofSeconds(2);

	private final VirtualTime time = new VirtualTime();

	private final Transitions told = new Transitions();

	private final CircuitBreaker breaker = breaker(settings());

	static BreakerSettings.Builder settings() {
		return BreakerSettings.builder().minimumCalls(4).slowCall(SLOW);
	}

	static BreakerSettings.Builder last(int calls) {
		return BreakerSettings.builder().window(WindowLength.ofCalls(calls));
	}

	final CircuitBreaker breaker(BreakerSettings.Builder settings) {
		return builder(settings).build();
	}

	final CircuitBreaker.Builder builder(BreakerSettings.Builder settings) {
		return CircuitBreaker.builder("payments")
			.settings(settings.build())
			.time(this.time)
			.random(RandomSources.least())
			.listener(this.told);
	}

	final Permit permit(CircuitBreaker of) {
		Permit permit = of.tryAcquire(now());
		assertThat(permit).as("permit").isNotNull();
		return permit;
	}

	final long now() {
		return this.time.nanoTime();
	}

	final void succeed(CircuitBreaker of, int times) {
		for (int i = 0; i < times; i++) {
			permit(of).succeeded(1, now());
		}
	}

	final void fail(CircuitBreaker of, int times) {
		for (int i = 0; i < times; i++) {
			permit(of).failed(1, now(), null);
		}
	}

	final boolean isRejected(CircuitBreaker by) {
		boolean permitting = by.isPermitting(now());
		Permit permit = by.tryAcquire(now());
		if (permit != null) {
			permit.released();
		}
		assertThat(permitting).as("what isPermitting says").isEqualTo(permit != null);
		return permit == null;
	}

	/** Let the time open pass. */
	final void waitForProbe(CircuitBreaker of) {
		this.time.advance(Duration.ofNanos(of.nanosToPermit(now())));
	}

	final CircuitBreaker opened(BreakerSettings.Builder settings) {
		CircuitBreaker opened = breaker(settings);
		opened.open();
		this.told.clear();
		return opened;
	}

	final CircuitBreaker halfOpened(BreakerSettings.Builder settings) {
		CircuitBreaker halfOpened = opened(settings);
		waitForProbe(halfOpened);
		permit(halfOpened).released();
		assertThat(halfOpened.state()).isEqualTo(BreakerState.HALF_OPEN);
		this.told.clear();
		return halfOpened;
	}

	/** What a listener was told, as text. */
	static final class Transitions extends ArrayList<String> implements CircuitBreaker.Listener {

		private static final long serialVersionUID = 1L;

		@Override
		public void transition(CircuitBreaker breaker, BreakerState from, BreakerState to) {
			synchronized (this) {
				add(from + " -> " + to);
			}
		}

	}

	final VirtualTime time() {
		return this.time;
	}

	/** Return what the listener was told, as text. */
	final Transitions told() {
		return this.told;
	}

	/** Return a breaker with the settings of the tests, closed and new. */
	final CircuitBreaker breaker() {
		return this.breaker;
	}

}
