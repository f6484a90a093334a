package dev.backoff.lincheck;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.breaker.CircuitBreaker;

/** A half-open breaker gives as many permits as it has probes. */
class BreakerLincheckTests {

	@Test
	void permitsItsProbesAndNoMore() {
		Interleavings.run(() -> {
			HandTurnedTime time = new HandTurnedTime();
			CircuitBreaker breaker = dueBreaker(time);
			AtomicInteger permits = new AtomicInteger();
			Interleavings.inParallel(() -> take(breaker, time, permits), () -> {
				take(breaker, time, permits);
				take(breaker, time, permits);
			});
			Interleavings.check(permits.get() == 1);
		});
	}

	@Test
	void permitsAnotherProbeForEachThatIsReleased() {
		Interleavings.run(() -> {
			HandTurnedTime time = new HandTurnedTime();
			CircuitBreaker breaker = dueBreaker(time);
			AtomicInteger together = new AtomicInteger();
			Runnable probe = () -> {
				Permit permit = breaker.tryAcquire(time.nanoTime());
				if (permit != null) {
					Interleavings.check(together.incrementAndGet() == 1);
					together.decrementAndGet();
					permit.released();
				}
			};
			Interleavings.inParallel(probe, probe);
			Interleavings.check(breaker.state() == BreakerState.HALF_OPEN);
			Interleavings.check(breaker.tryAcquire(time.nanoTime()) != null);
		});
	}

	@Test
	void closesOnceByItsProbe() {
		Interleavings.run(() -> {
			HandTurnedTime time = new HandTurnedTime();
			CircuitBreaker breaker = dueBreaker(time);
			AtomicInteger refused = new AtomicInteger();
			Runnable call = () -> {
				Permit permit = breaker.tryAcquire(time.nanoTime());
				if (permit != null) {
					permit.succeeded(1, time.nanoTime());
				}
				else {
					refused.incrementAndGet();
				}
			};
			Interleavings.inParallel(call, call);
			Interleavings.check(refused.get() <= 1);
			Interleavings.check(breaker.state() == BreakerState.CLOSED);
		});
	}

	private static CircuitBreaker dueBreaker(HandTurnedTime time) {
		CircuitBreaker breaker = CircuitBreaker.builder("gateway")
			.settings(BreakerSettings.builder().probes(1).openFor(Duration.ofSeconds(1)).build())
			.random(() -> 0)
			.time(time)
			.build();
		breaker.open();
		time.pass(Duration.ofSeconds(2));
		return breaker;
	}

	private static void take(CircuitBreaker breaker, HandTurnedTime time, AtomicInteger permits) {
		if (breaker.tryAcquire(time.nanoTime()) != null) {
			permits.incrementAndGet();
		}
	}

}
