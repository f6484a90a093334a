package dev.backoff.throttle;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.fixture.Crowd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ThrottleTests {

	private final Throttle throttle = new Throttle("orders", 2, 3);

	private final List<String> served = new ArrayList<>();

	private Throttle.Place waiting(String name) {
		Throttle.Place place = this.throttle.enter();
		place.whenGranted(() -> this.served.add(name));
		return place;
	}

	private void takeAll() {
		while (this.throttle.tryAcquire()) {
			// the next one
		}
	}

	@Nested
	class Slots {

		@Test
		void areAsManyAsGiven() {
			assertThat(ThrottleTests.this.throttle.tryAcquire()).isTrue();
			assertThat(ThrottleTests.this.throttle.tryAcquire()).isTrue();
			assertThat(ThrottleTests.this.throttle.tryAcquire()).isFalse();
			assertThat(ThrottleTests.this.throttle.active()).isEqualTo(2);
			ThrottleTests.this.throttle.release();
			assertThat(ThrottleTests.this.throttle.tryAcquire()).isTrue();
		}

		@Test
		void areTakenAtOnceWhereOneIsFree() {
			Throttle.Place place = ThrottleTests.this.throttle.enter();
			assertThat(place.isGranted()).isTrue();
			assertThat(ThrottleTests.this.throttle.active()).isEqualTo(1);
			place.leave();
			place.leave();
			assertThat(ThrottleTests.this.throttle.active()).isZero();
		}

		@Test
		void areKeptBeyondTheirPlaces() {
			Throttle.Place place = ThrottleTests.this.throttle.enter();
			place.keep();
			place.leave();
			assertThat(ThrottleTests.this.throttle.active()).isEqualTo(1);
		}

		@Test
		void areNotGivenBackMoreOftenThanTaken() {
			ThrottleTests.this.throttle.release();
			assertThat(ThrottleTests.this.throttle.active()).isZero();
		}

	}

	@Nested
	class Queue {

		@Test
		void isServedInItsOrder() {
			takeAll();
			waiting("first");
			waiting("second");
			assertThat(ThrottleTests.this.served).isEmpty();
			ThrottleTests.this.throttle.release();
			assertThat(ThrottleTests.this.served).containsExactly("first");
			ThrottleTests.this.throttle.release();
			assertThat(ThrottleTests.this.served).containsExactly("first", "second");
			assertThat(ThrottleTests.this.throttle.active()).isEqualTo(2);
			assertThat(ThrottleTests.this.throttle.waiting()).isZero();
		}

		@Test
		void comesBeforeWhatArrivesLater() {
			takeAll();
			waiting("first");
			waiting("second");
			ThrottleTests.this.throttle.release();
			assertThat(ThrottleTests.this.throttle.tryAcquire()).isFalse();
		}

		@Test
		void refusesWhereItIsFull() {
			takeAll();
			for (int i = 0; i < 3; i++) {
				assertThat(waiting("another").isRefused()).isFalse();
			}
			Throttle.Place refused = waiting("one too many");
			assertThat(refused.isRefused()).isTrue();
			assertThat(refused.isGranted()).isFalse();
			refused.leave();
			assertThat(ThrottleTests.this.throttle.waiting()).isEqualTo(3);
		}

		@Test
		void isLeftWithoutATrace() {
			takeAll();
			waiting("first").leave();
			waiting("second");
			ThrottleTests.this.throttle.release();
			assertThat(ThrottleTests.this.served).containsExactly("second");
			ThrottleTests.this.throttle.release();
			ThrottleTests.this.throttle.release();
			assertThat(ThrottleTests.this.throttle.active()).isZero();
		}

		@Test
		void isLeftByTheLastSoThatSlotsAreFreeAgain() {
			takeAll();
			waiting("only").leave();
			ThrottleTests.this.throttle.release();
			assertThat(ThrottleTests.this.throttle.tryAcquire()).isTrue();
		}

		@Test
		void givesASlotBackThatWasGranted() {
			takeAll();
			Throttle.Place first = waiting("first");
			waiting("second");
			ThrottleTests.this.throttle.release();
			first.leave();
			assertThat(ThrottleTests.this.served).containsExactly("first", "second");
		}

		@Test
		void tellsOneThatAsksLate() {
			takeAll();
			Throttle.Place place = ThrottleTests.this.throttle.enter();
			ThrottleTests.this.throttle.release();
			place.whenGranted(() -> ThrottleTests.this.served.add("late"));
			assertThat(ThrottleTests.this.served).containsExactly("late");
		}

	}

	@Nested
	class Changes {

		@Test
		void serveTheQueueAtOnce() {
			takeAll();
			waiting("first");
			waiting("second");
			waiting("third");
			ThrottleTests.this.throttle.change(4, 3);
			assertThat(ThrottleTests.this.served).containsExactly("first", "second");
			ThrottleTests.this.throttle.change(Throttle.UNLIMITED, 0);
			assertThat(ThrottleTests.this.served).containsExactly("first", "second", "third");
			assertThat(ThrottleTests.this.throttle.active()).isEqualTo(5);
		}

		@Test
		void letRunningAttemptsEnd() {
			takeAll();
			waiting("first");
			ThrottleTests.this.throttle.change(1, 3);
			assertThat(ThrottleTests.this.throttle.active()).isEqualTo(2);
			ThrottleTests.this.throttle.release();
			assertThat(ThrottleTests.this.served).isEmpty();
			ThrottleTests.this.throttle.release();
			assertThat(ThrottleTests.this.served).containsExactly("first");
			assertThat(ThrottleTests.this.throttle.tryAcquire()).isFalse();
		}

		@Test
		void keepCallsThatWaitInAShorterQueue() {
			takeAll();
			waiting("first");
			waiting("second");
			ThrottleTests.this.throttle.change(2, 1);
			assertThat(ThrottleTests.this.throttle.waiting()).isEqualTo(2);
			assertThat(waiting("third").isRefused()).isTrue();
		}

	}

	@Nested
	class Limits {

		@Test
		void areOneSlotAtLeast() {
			assertThatIllegalArgumentException().isThrownBy(() -> new Throttle("orders", 0, 1))
				.withMessage("Invalid slots (0): must be 1 or more.");
			assertThatIllegalArgumentException().isThrownBy(() -> ThrottleTests.this.throttle.change(0, 1));
		}

		@Test
		void areNoNegativeQueue() {
			assertThatIllegalArgumentException().isThrownBy(() -> new Throttle("orders", 1, -1))
				.withMessage("Invalid maxWaiting (-1): must not be negative.");
		}

		@Test
		void areShown() {
			assertThat(ThrottleTests.this.throttle.slots()).isEqualTo(2);
			assertThat(ThrottleTests.this.throttle.maxWaiting()).isEqualTo(3);
			assertThat(ThrottleTests.this.throttle).hasToString("Throttle orders (0 of 2 slots taken, 0 of 3 waiting)");
		}

	}

	@Test
	void rejectsWithItsNumbers() {
		takeAll();
		waiting("first");
		ConcurrencyExceededException rejection = this.throttle.rejection();
		assertThat(rejection).hasMessage(
				"Policy orders has no slot for another attempt: 2 may run at once and 1 call waits; the call was not made.");
		assertThat(rejection.policy()).isEqualTo("orders");
		assertThat(rejection.slots()).isEqualTo(2);
		assertThat(rejection.waiting()).isEqualTo(1);
	}

	/* Beside a list: nothing is forgotten, and nothing overtakes. */
	@Test
	void doesWhatASequentialQueueDoes() {
		for (int seed = 0; seed < 2_000; seed++) {
			Random random = new Random(seed);
			int slots = 1 + random.nextInt(3);
			int most = random.nextInt(4);
			Throttle seen = new Throttle("orders", slots, most);
			List<Throttle.Place> queue = new ArrayList<>();
			int active = 0;
			for (int step = 0; step < 60; step++) {
				switch (random.nextInt(5)) {
					case 0 -> {
						boolean free = queue.isEmpty() && active < slots;
						assertThat(seen.tryAcquire()).isEqualTo(free);
						active += free ? 1 : 0;
					}
					case 1 -> {
						Throttle.Place place = seen.enter();
						boolean free = queue.isEmpty() && active < slots;
						assertThat(place.isGranted()).isEqualTo(free);
						assertThat(place.isRefused()).isEqualTo(!free && queue.size() >= most);
						active += free ? 1 : 0;
						if (!free && queue.size() < most) {
							queue.add(place);
						}
					}
					case 2 -> {
						if (active > 0) {
							active--;
							seen.release();
						}
					}
					case 3 -> {
						if (!queue.isEmpty()) {
							queue.remove(random.nextInt(queue.size())).leave();
						}
					}
					default -> {
						slots = 1 + random.nextInt(3);
						most = random.nextInt(4);
						seen.change(slots, most);
					}
				}
				while (!queue.isEmpty() && active < slots) {
					assertThat(queue.remove(0).isGranted()).as("seed %s", seed).isTrue();
					active++;
				}
				assertThat(queue).as("seed %s", seed).noneMatch(Throttle.Place::isGranted);
				assertThat(seen.active()).as("seed %s", seed).isEqualTo(active);
				assertThat(seen.waiting()).as("seed %s", seed).isEqualTo(queue.size());
			}
		}
	}

	/* Threads that take, wait, give up and change the limits at the same time. */
	@Test
	void losesNoSlotBetweenThreads() {
		Throttle shared = new Throttle("orders", 3, 4);
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		Crowd.of(8, (number) -> {
			Random random = new Random(number);
			for (int i = 0; i < 20_000; i++) {
				Throttle.Place place = shared.tryAcquire() ? null : shared.enter();
				if (number == 0 && i % 100 == 0) {
					shared.change(1 + random.nextInt(3), 4);
				}
				for (int spin = random.nextInt(50); place != null && !place.isGranted() && spin > 0; spin--) {
					Thread.onSpinWait();
				}
				if (place == null || place.isGranted()) {
					most.accumulateAndGet(running.incrementAndGet(), Math::max);
					running.decrementAndGet();
				}
				if (place == null) {
					shared.release();
				}
				else {
					place.leave();
				}
			}
		});
		assertThat(most).hasValueBetween(1, 3);
		assertThat(shared.active()).isZero();
		assertThat(shared.waiting()).isZero();
		assertThat(shared.tryAcquire()).isTrue();
	}

}
