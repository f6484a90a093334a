package dev.backoff.concurrency;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ConcurrencyLimitTests {

	private final ConcurrencyLimit limit = new ConcurrencyLimit("orders", 2, 3);

	private final List<String> served = new ArrayList<>();

	private Ticket waiting(String name) {
		Ticket place = this.limit.enter(false);
		place.whenGranted(() -> this.served.add(name));
		return place;
	}

	private void takeAll() {
		while (this.limit.tryAcquire()) {
			// the next one
		}
	}

	@Nested
	class Permits {

		@Test
		void areTakenAtOnceWhereOneIsFree() {
			Ticket place = ConcurrencyLimitTests.this.limit.enter(false);
			assertThat(place.isGranted()).isTrue();
			assertThat(ConcurrencyLimitTests.this.limit.active()).isEqualTo(1);
			place.leave();
			place.leave();
			assertThat(ConcurrencyLimitTests.this.limit.active()).isZero();
		}

		@Test
		void areKeptBeyondTheirPlaces() {
			Ticket place = ConcurrencyLimitTests.this.limit.enter(false);
			place.keep();
			place.leave();
			assertThat(ConcurrencyLimitTests.this.limit.active()).isEqualTo(1);
		}

		@Test
		void areNotGivenBackMoreOftenThanTaken() {
			ConcurrencyLimitTests.this.limit.release();
			assertThat(ConcurrencyLimitTests.this.limit.active()).isZero();
		}

	}

	@Nested
	class Queue {

		@Test
		void givesAPermitBackThatWasGranted() {
			takeAll();
			Ticket first = waiting("first");
			waiting("second");
			ConcurrencyLimitTests.this.limit.release();
			first.leave();
			assertThat(ConcurrencyLimitTests.this.served).containsExactly("first", "second");
		}

		@Test
		void tellsOneThatAsksLate() {
			takeAll();
			Ticket place = ConcurrencyLimitTests.this.limit.enter(false);
			ConcurrencyLimitTests.this.limit.release();
			place.whenGranted(() -> ConcurrencyLimitTests.this.served.add("late"));
			assertThat(ConcurrencyLimitTests.this.served).containsExactly("late");
		}

	}

	@Test
	void changesServeTheQueueAtOnce() {
		takeAll();
		waiting("first");
		waiting("second");
		waiting("third");
		this.limit.change(4, 3);
		assertThat(this.served).containsExactly("first", "second");
		this.limit.change(ConcurrencyLimit.UNLIMITED, 0);
		assertThat(this.served).containsExactly("first", "second", "third");
		assertThat(this.limit.active()).isEqualTo(5);
	}

	@Nested
	class Limits {

		@Test
		void areOnePermitAtLeast() {
			assertThatIllegalArgumentException().isThrownBy(() -> new ConcurrencyLimit("orders", 0, 1))
				.withMessage("Invalid permits (0): must be 1 or more.");
			assertThatIllegalArgumentException().isThrownBy(() -> ConcurrencyLimitTests.this.limit.change(0, 1));
		}

		@Test
		void areNoNegativeQueue() {
			assertThatIllegalArgumentException().isThrownBy(() -> new ConcurrencyLimit("orders", 1, -1))
				.withMessage("Invalid maxWaiting (-1): must not be negative.");
		}

		@Test
		void areShown() {
			assertThat(ConcurrencyLimitTests.this.limit.permits()).isEqualTo(2);
			assertThat(ConcurrencyLimitTests.this.limit.maxWaiting()).isEqualTo(3);
			assertThat(ConcurrencyLimitTests.this.limit)
				.hasToString("ConcurrencyLimit orders (0 of 2 permits taken, 0 of 3 waiting)");
		}

	}

	@Test
	void rejectsWithItsNumbers() {
		takeAll();
		waiting("first");
		ConcurrencyExceededException rejection = this.limit.rejection();
		assertThat(rejection).hasMessage(
				"Policy orders has no permit for another attempt: 2 may run at once and 1 call waits; the call was not made.");
	}

	/* Beside a list: nothing is forgotten, and nothing overtakes. */
	@Test
	void doesWhatASequentialQueueDoes() {
		for (int seed = 0; seed < 2_000; seed++) {
			Random random = new Random(seed);
			int permits = 1 + random.nextInt(3);
			int most = random.nextInt(4);
			ConcurrencyLimit seen = new ConcurrencyLimit("orders", permits, most);
			List<Ticket> queue = new ArrayList<>();
			int active = 0;
			for (int step = 0; step < 60; step++) {
				switch (random.nextInt(5)) {
					case 0 -> {
						boolean free = queue.isEmpty() && active < permits;
						assertThat(seen.tryAcquire()).isEqualTo(free);
						active += free ? 1 : 0;
					}
					case 1 -> {
						Ticket place = seen.enter(false);
						boolean free = queue.isEmpty() && active < permits;
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
						permits = 1 + random.nextInt(3);
						most = random.nextInt(4);
						seen.change(permits, most);
					}
				}
				while (!queue.isEmpty() && active < permits) {
					assertThat(queue.remove(0).isGranted()).as("seed %s", seed).isTrue();
					active++;
				}
				assertThat(queue).as("seed %s", seed).noneMatch(Ticket::isGranted);
				assertThat(seen.active()).as("seed %s", seed).isEqualTo(active);
				assertThat(seen.waiting()).as("seed %s", seed).isEqualTo(queue.size());
			}
		}
	}

}
