package dev.backoff.pace;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.concurrency.Ticket;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class PaceTests {

	private final VirtualTime time = new VirtualTime();

	private final List<Duration> holds = new ArrayList<>();

	private final List<String> granted = new ArrayList<>();

	private final Pace pace = new Pace("ai", Duration.ofMinutes(1), 3, this.time, (pace, hold) -> this.holds.add(hold));

	private Ticket enter(String name) {
		return enter(name, false);
	}

	private Ticket enter(String name, boolean first) {
		Ticket ticket = this.pace.enter(first, this.time.nanoTime());
		ticket.whenGranted(() -> this.granted.add(name + " after " + this.time.elapsed().toMillis()));
		return ticket;
	}

	private boolean tryTurn() {
		Ticket ticket = this.pace.enter(false, this.time.nanoTime());
		if (ticket != null) {
			ticket.leave();
		}
		return ticket == null;
	}

	private void throttle(Duration hint) {
		this.pace.throttled(this.time.nanoTime(), hint.toNanos(), this.time.nanoTime());
	}

	private void told(QuotaReading... readings) {
		this.pace.told(this.time.nanoTime(), List.of(readings));
	}

	/* The last attempt begins now. */
	private void paceBySeconds(int seconds) {
		told(new QuotaReading("requests", 10, 1, Duration.ofSeconds(seconds), true, true));
	}

	@Nested
	class Turns {

		@Test
		void nothingTold_atOnce() {
			for (int i = 0; i < 100; i++) {
				assertThat(tryTurn()).isTrue();
			}
			assertThat(PaceTests.this.pace.status().untilTurn()).isZero();
		}

		@Test
		void notDue_none() {
			throttle(Duration.ofSeconds(20));
			assertThat(tryTurn()).isFalse();
			PaceTests.this.time.advance(Duration.ofSeconds(20));
			assertThat(tryTurn()).isTrue();
		}

		@Test
		void dueWhileAnotherWaits_none() {
			enter("first", true);
			assertThat(tryTurn()).isFalse();
		}

		@Test
		void waiting_grantedByTheTimerInOrder() {
			throttle(Duration.ofSeconds(20));
			enter("first");
			enter("second");
			PaceTests.this.time.advance(Duration.ofSeconds(60));
			assertThat(PaceTests.this.granted).isEmpty();
			PaceTests.this.time.runDue();
			assertThat(PaceTests.this.granted).containsExactly("first after 60000");
			PaceTests.this.time.runAll();
			assertThat(PaceTests.this.granted).hasSize(2).last().asString().startsWith("second after ");
			assertThat(PaceTests.this.time.pending()).isZero();
		}

		@Test
		void atTheFront_grantedFirst() {
			throttle(Duration.ofSeconds(20));
			enter("call");
			enter("retry", true);
			PaceTests.this.time.runAll();
			assertThat(PaceTests.this.granted.get(0)).startsWith("retry after 20000");
		}

		@Test
		void dueAtOnce_leftToTheTimer() {
			Ticket ticket = enter("retry", true);
			assertThat(ticket.isGranted()).isFalse();
			PaceTests.this.time.runAll();
			assertThat(ticket.isGranted()).isTrue();
			assertThat(PaceTests.this.time.delays()).containsExactly(Duration.ofNanos(100_000));
		}

		@Test
		void grantedBeforeItIsAwaited_runAtOnce() {
			Ticket ticket = PaceTests.this.pace.enter(true, PaceTests.this.time.nanoTime());
			PaceTests.this.time.runAll();
			ticket.whenGranted(() -> PaceTests.this.granted.add("late"));
			assertThat(PaceTests.this.granted).containsExactly("late");
		}

		@Test
		void left_notGranted() {
			throttle(Duration.ofSeconds(20));
			Ticket left = enter("left");
			enter("second");
			left.leave();
			left.leave();
			assertThat(PaceTests.this.pace.status().waiting()).isEqualTo(1);
			PaceTests.this.time.runAll();
			assertThat(left.isGranted()).isFalse();
			assertThat(PaceTests.this.granted).containsExactly("second after 20000");
		}

		@Test
		void grantedAndLeft_notGivenToAnother() {
			throttle(Duration.ofSeconds(20));
			Ticket left = enter("left");
			PaceTests.this.time.runAll();
			left.leave();
			assertThat(left.isGranted()).isFalse();
			assertThat(tryTurn()).isFalse();
		}

		@Test
		void queueFull_refused() {
			throttle(Duration.ofSeconds(20));
			for (int i = 0; i < 3; i++) {
				assertThat(enter("another").isRefused()).isFalse();
			}
			Ticket refused = enter("one too many");
			assertThat(refused.isRefused()).isTrue();
			refused.leave();
			assertThat(PaceTests.this.pace.status().waiting()).isEqualTo(3);
			assertThat(PaceTests.this.pace.rejection()).isInstanceOfSatisfying(PacedException.class, (ex) -> {
				assertThat(ex).hasMessage("Pace ai has no turn for another attempt: 3 calls wait, and the next turn is "
						+ "due in 20 s; the call was not made.");
				assertThat(ex.pace()).isEqualTo("ai");
				assertThat(ex.waiting()).isEqualTo(3);
				assertThat(ex.untilTurn()).isEqualTo(Duration.ofSeconds(20));
			});
		}

		@Test
		void timerFails_armedByTheNextEvent() {
			throttle(Duration.ofSeconds(20));
			PaceTests.this.time.failWith(new IllegalStateException("no timer"));
			assertThatIllegalStateException().isThrownBy(() -> enter("first"));
			assertThatIllegalStateException()
				.isThrownBy(() -> PaceTests.this.pace.succeeded(PaceTests.this.time.nanoTime()));
		}

	}

	@Nested
	class Hold {

		@Test
		void hint_holdsAll() {
			throttle(Duration.ofSeconds(20));
			assertThat(PaceTests.this.pace.nanosHeld(PaceTests.this.time.nanoTime())).isEqualTo(20_000_000_000L);
			assertThat(PaceTests.this.pace.status().held()).isEqualTo(Duration.ofSeconds(20));
			assertThat(PaceTests.this.holds).containsExactly(Duration.ofSeconds(20));
		}

		@Test
		void longerHint_prolongs() {
			throttle(Duration.ofSeconds(20));
			enter("first");
			throttle(Duration.ofSeconds(30));
			throttle(Duration.ofSeconds(10));
			PaceTests.this.time.runAll();
			assertThat(PaceTests.this.granted).containsExactly("first after 30000");
			assertThat(PaceTests.this.holds).hasSize(1);
		}

		@Test
		void wrongHint_cutToTheLongest() {
			throttle(Duration.ofDays(100_000));
			enter("probe");
			PaceTests.this.time.runAll();
			assertThat(PaceTests.this.granted).containsExactly("probe after 60000");
		}

		@Test
		void withoutHint_none() {
			throttle(Duration.ZERO);
			assertThat(PaceTests.this.pace.status().held()).isZero();
			assertThat(PaceTests.this.holds).isEmpty();
			assertThat(PaceTests.this.pace.status().perSecond()).isPositive();
		}

		@Test
		void released_rateStays() {
			throttle(Duration.ofSeconds(50));
			enter("first");
			double rate = PaceTests.this.pace.status().perSecond();
			PaceTests.this.pace.release();
			PaceTests.this.time.runAll();
			assertThat(PaceTests.this.granted).containsExactly("first after 5555");
			assertThat(PaceTests.this.pace.status().perSecond()).isEqualTo(rate);
		}

		@Test
		void longestChanged_holdCut() {
			throttle(Duration.ofSeconds(50));
			enter("first");
			PaceTests.this.pace.change(Duration.ofSeconds(7), 3);
			PaceTests.this.time.runAll();
			assertThat(PaceTests.this.granted).containsExactly("first after 7000");
		}

		@Test
		void tickerWraps_holdGoesOn() {
			VirtualTime wrapping = VirtualTime.wrappingAfter(Duration.ofSeconds(1));
			Pace pace = new Pace("ai", Duration.ofMinutes(1), 3, wrapping, (held, hold) -> {
			});
			pace.throttled(wrapping.nanoTime(), Duration.ofSeconds(20).toNanos(), wrapping.nanoTime());
			Ticket ticket = pace.enter(false, wrapping.nanoTime());
			wrapping.runAll();
			assertThat(ticket.isGranted()).isTrue();
			assertThat(wrapping.elapsed()).isEqualTo(Duration.ofSeconds(20));
		}

	}

	@Nested
	class Pacing {

		@Test
		void readings_slowerOfThem() {
			told(new QuotaReading("requests", 100, 10, Duration.ofSeconds(60), true, false),
					new QuotaReading("tokens", 1000, 500, Duration.ofSeconds(30), false, false));
			enter("first");
			PaceTests.this.time.runAll();
			assertThat(PaceTests.this.time.elapsed().toMillis()).isEqualTo(6000);
		}

		@Test
		void timerLate_rateKept() {
			// 0.18 a second
			throttle(Duration.ZERO);
			PaceTests.this.time.oversleepBy(Duration.ofMillis(8));
			for (int i = 0; i < 3; i++) {
				enter("call " + i);
			}
			PaceTests.this.time.runAll();
			assertThat(PaceTests.this.granted).containsExactly("call 0 after 5563", "call 1 after 11119",
					"call 2 after 16674");
		}

		@Test
		void nothingLeft_atLeastOneInTheLongestHold() {
			told(new QuotaReading("requests", 100, 0, Duration.ofDays(10), true, true));
			enter("first");
			enter("second");
			PaceTests.this.time.runAll();
			assertThat(PaceTests.this.granted).containsExactly("first after 60000", "second after 120000");
		}

		@Test
		void readingRaises_timerArmedAnew() {
			paceBySeconds(50);
			enter("first");
			told(new QuotaReading("requests", 10, 10, Duration.ofSeconds(1), true, true));
			PaceTests.this.time.runAll();
			assertThat(PaceTests.this.granted).containsExactly("first after 100");
			assertThat(PaceTests.this.time.pending()).isZero();
		}

		@Test
		void olderReading_ignored() {
			long start = PaceTests.this.time.nanoTime();
			PaceTests.this.time.advance(Duration.ofSeconds(1));
			told(new QuotaReading("requests", 10, 9, Duration.ofSeconds(5), true, false));
			PaceTests.this.pace.told(start,
					List.of(new QuotaReading("requests", 10, 0, Duration.ofSeconds(50), true, false)));
			assertThat(PaceTests.this.pace.status().quotas()).singleElement()
				.extracting(QuotaReading::remaining)
				.isEqualTo(9L);
		}

	}

	@Nested
	class Limits {

		@Test
		void noTime_refused() {
			assertThatIllegalArgumentException().isThrownBy(() -> PaceTests.this.pace.change(Duration.ZERO, 3))
				.withMessage("Invalid maxHold (0ms): must be above zero.");
		}

		@Test
		void negativeWaiting_refused() {
			assertThatIllegalArgumentException().isThrownBy(() -> PaceTests.this.pace.change(Duration.ofSeconds(1), -1))
				.withMessage("Invalid maxWaiting (-1): must not be negative.");
		}

		@Test
		void noPlace_refusedWhereItWouldWait() {
			PaceTests.this.pace.change(Duration.ofSeconds(1), 0);
			assertThat(tryTurn()).isTrue();
			assertThat(enter("first", true).isRefused()).isTrue();
		}

	}

}
