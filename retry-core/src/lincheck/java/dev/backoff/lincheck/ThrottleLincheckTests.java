package dev.backoff.lincheck;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import dev.backoff.throttle.Throttle;

/** A throttle forgets no call and no slot. */
class ThrottleLincheckTests {

	@Test
	void grantsNoMoreThanItsSlots() {
		Interleavings.run(() -> {
			Throttle throttle = new Throttle("orders", 1, 2);
			AtomicInteger together = new AtomicInteger();
			Runnable attempt = () -> {
				Throttle.Place place = throttle.enter();
				if (place.isGranted()) {
					Interleavings.check(together.incrementAndGet() == 1);
					together.decrementAndGet();
				}
				place.leave();
			};
			Interleavings.inParallel(attempt, attempt);
			Interleavings.check(throttle.active() == 0 && throttle.waiting() == 0);
			Interleavings.check(throttle.tryAcquire());
		});
	}

	@Test
	void handsASlotToACallThatComesMeanwhile() {
		Interleavings.run(() -> {
			Throttle throttle = new Throttle("orders", 1, 2);
			Interleavings.check(throttle.tryAcquire());
			AtomicInteger granted = new AtomicInteger();
			Interleavings.inParallel(throttle::release, () -> throttle.enter().whenGranted(granted::incrementAndGet));
			Interleavings.check(granted.get() == 1);
			Interleavings.check(throttle.active() == 1 && throttle.waiting() == 0);
		});
	}

	@Test
	void losesNoSlotWithACallThatLeaves() {
		Interleavings.run(() -> {
			Throttle throttle = new Throttle("orders", 1, 2);
			Interleavings.check(throttle.tryAcquire());
			Throttle.Place leaving = throttle.enter();
			Throttle.Place staying = throttle.enter();
			Interleavings.inParallel(throttle::release, leaving::leave);
			Interleavings.check(staying.isGranted());
			Interleavings.check(throttle.active() == 1 && throttle.waiting() == 0);
		});
	}

	@Test
	void servesTheQueueByNewSlotsAndByFreedOnes() {
		Interleavings.run(() -> {
			Throttle throttle = new Throttle("orders", 1, 2);
			Interleavings.check(throttle.tryAcquire());
			Throttle.Place first = throttle.enter();
			Throttle.Place second = throttle.enter();
			Interleavings.inParallel(throttle::release, () -> throttle.change(2, 2));
			Interleavings.check(first.isGranted() && second.isGranted());
			Interleavings.check(throttle.active() == 2 && throttle.waiting() == 0);
		});
	}

}
