package dev.backoff.lincheck;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.concurrency.Ticket;

/** A limit forgets no call and no permit. */
class ConcurrencyLimitLincheckTests {

	@Test
	void grantsNoMoreThanItsPermits() {
		Interleavings.run(() -> {
			ConcurrencyLimit limit = new ConcurrencyLimit("orders", 1, 2);
			AtomicInteger together = new AtomicInteger();
			Runnable attempt = () -> {
				Ticket place = limit.enter(false);
				if (place.isGranted()) {
					Interleavings.check(together.incrementAndGet() == 1);
					together.decrementAndGet();
				}
				place.leave();
			};
			Interleavings.inParallel(attempt, attempt);
			Interleavings.check(limit.active() == 0 && limit.waiting() == 0);
			Interleavings.check(limit.tryAcquire());
		});
	}

	@Test
	void handsAPermitToACallThatComesMeanwhile() {
		Interleavings.run(() -> {
			ConcurrencyLimit limit = new ConcurrencyLimit("orders", 1, 2);
			Interleavings.check(limit.tryAcquire());
			AtomicInteger granted = new AtomicInteger();
			Interleavings.inParallel(limit::release, () -> limit.enter(false).whenGranted(granted::incrementAndGet));
			Interleavings.check(granted.get() == 1);
			Interleavings.check(limit.active() == 1 && limit.waiting() == 0);
		});
	}

	@Test
	void losesNoPermitWithACallThatLeaves() {
		Interleavings.run(() -> {
			ConcurrencyLimit limit = new ConcurrencyLimit("orders", 1, 2);
			Interleavings.check(limit.tryAcquire());
			Ticket leaving = limit.enter(false);
			Ticket staying = limit.enter(false);
			Interleavings.inParallel(limit::release, leaving::leave);
			Interleavings.check(staying.isGranted());
			Interleavings.check(limit.active() == 1 && limit.waiting() == 0);
		});
	}

	@Test
	void servesTheQueueByNewPermitsAndByFreedOnes() {
		Interleavings.run(() -> {
			ConcurrencyLimit limit = new ConcurrencyLimit("orders", 1, 2);
			Interleavings.check(limit.tryAcquire());
			Ticket first = limit.enter(false);
			Ticket second = limit.enter(false);
			Interleavings.inParallel(limit::release, () -> limit.change(2, 2));
			Interleavings.check(first.isGranted() && second.isGranted());
			Interleavings.check(limit.active() == 2 && limit.waiting() == 0);
		});
	}

}
