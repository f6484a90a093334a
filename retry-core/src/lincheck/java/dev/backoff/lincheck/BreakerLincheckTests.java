package dev.backoff.lincheck;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.breaker.CircuitBreaker;

import static org.assertj.core.api.Assertions.assertThat;

/** A half-open breaker gives as many permits as it has probes. */
class BreakerLincheckTests {

	private static final int INVOCATIONS = 5_000;

	@Test
	void permitsItsProbesAndNoMore() {
		Lincheck.runConcurrentTest(INVOCATIONS, () -> {
			HandTurnedTime time = new HandTurnedTime();
			CircuitBreaker breaker = dueBreaker(time);
			AtomicInteger permits = new AtomicInteger();
			inParallel(() -> take(breaker, time, permits), () -> {
				take(breaker, time, permits);
				take(breaker, time, permits);
			});
			assertThat(permits.get()).isEqualTo(1);
		});
	}

	@Test
	void permitsAnotherProbeForEachThatIsReleased() {
		Lincheck.runConcurrentTest(INVOCATIONS, () -> {
			HandTurnedTime time = new HandTurnedTime();
			CircuitBreaker breaker = dueBreaker(time);
			AtomicInteger together = new AtomicInteger();
			Runnable probe = () -> {
				Permit permit = breaker.tryAcquire(time.nanoTime());
				if (permit != null) {
					assertThat(together.incrementAndGet()).isEqualTo(1);
					together.decrementAndGet();
					permit.released();
				}
			};
			inParallel(probe, probe);
			assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
			assertThat(breaker.tryAcquire(time.nanoTime())).isNotNull();
		});
	}

	@Test
	void closesOnceByItsProbe() {
		Lincheck.runConcurrentTest(INVOCATIONS, () -> {
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
			inParallel(call, call);
			assertThat(refused.get()).isLessThanOrEqualTo(1);
			assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
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

	private static void inParallel(Runnable one, Runnable other) {
		Thread thread = new Thread(one);
		thread.start();
		other.run();
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

}
