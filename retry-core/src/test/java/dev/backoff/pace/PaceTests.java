package dev.backoff.pace;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

	private void throttle(int seconds) {
		this.pace.throttled(this.time.nanoTime(), Duration.ofSeconds(seconds).toNanos(), this.time.nanoTime());
	}

	private void told(QuotaReading... readings) {
		this.pace.told(this.time.nanoTime(), List.of(readings));
	}

	private void assertGranted(String... expected) {
		this.time.runAll();
		assertThat(this.granted).containsExactly(expected);
		assertThat(this.time.pending()).isZero();
	}

	@Test
	void nothingTold_atOnce() {
		for (int i = 0; i < 100; i++) {
			assertThat(tryTurn()).isTrue();
		}
		assertThat(this.pace.status().untilTurn()).isZero();
	}

	@Test
	void held_grantedByTheTimerInOrderWithRetriesFirst() {
		throttle(20);
		enter("first");
		enter("second");
		Ticket left = enter("left");
		left.leave();
		left.leave();
		enter("retry", true);
		assertThat(this.pace.status().waiting()).isEqualTo(3);
		this.time.advance(Duration.ofSeconds(60));
		assertThat(tryTurn()).as("due while others wait").isFalse();
		assertThat(this.granted).isEmpty();
		assertGranted("retry after 60000", "first after 61101", "second after 62212");
		assertThat(left.isGranted()).isFalse();
	}

	@Test
	void dueAtOnce_leftToTheTimer() {
		Ticket ticket = this.pace.enter(true, this.time.nanoTime());
		assertThat(ticket.isGranted()).isFalse();
		this.time.runAll();
		assertThat(this.time.delays()).containsExactly(Duration.ofNanos(100_000));
		ticket.whenGranted(() -> this.granted.add("late"));
		assertGranted("late");
	}

	@Test
	void grantedAndLeft_notGivenToAnother() {
		throttle(20);
		Ticket left = enter("left");
		this.time.runAll();
		left.leave();
		assertThat(left.isGranted()).isFalse();
		assertThat(tryTurn()).isFalse();
	}

	@Test
	void queueFull_refused() {
		throttle(20);
		for (int i = 0; i < 3; i++) {
			assertThat(enter("another").isRefused()).isFalse();
		}
		Ticket refused = enter("one too many");
		assertThat(refused.isRefused()).isTrue();
		refused.leave();
		assertThat(this.pace.status().waiting()).isEqualTo(3);
		assertThat(new PacedException("ai", this.pace.status())).hasMessage("Pace ai has no turn for another attempt: "
				+ "3 calls wait, and the next turn is due in 20 s; the call was not made.");
		this.pace.change(Duration.ofSeconds(1), 0);
		assertThat(enter("first", true).isRefused()).isTrue();
	}

	@Test
	void timerFails_armedByTheNextEvent() {
		throttle(20);
		this.time.failWith(new IllegalStateException("no timer"));
		assertThatIllegalStateException().isThrownBy(() -> enter("first"));
		assertThatIllegalStateException().isThrownBy(() -> this.pace.succeeded(0, this.time.nanoTime()));
	}

	@Test
	void hints_longestHoldsAll() {
		throttle(20);
		assertThat(this.pace.nanosHeld(this.time.nanoTime())).isEqualTo(20_000_000_000L);
		assertThat(this.pace.status().held()).isEqualTo(Duration.ofSeconds(20));
		enter("first");
		throttle(30);
		throttle(10);
		assertGranted("first after 30000");
		assertThat(this.holds).containsExactly(Duration.ofSeconds(20));
	}

	@Test
	void wrongHint_cutToTheLongest() {
		throttle(1_000_000_000);
		enter("probe");
		assertGranted("probe after 60000");
	}

	@Test
	void withoutHint_rateAlone() {
		throttle(0);
		assertThat(this.pace.status().held()).isZero();
		assertThat(this.holds).isEmpty();
		// a late timer does not lower the rate
		this.time.oversleepBy(Duration.ofMillis(8));
		for (int i = 0; i < 3; i++) {
			enter("call " + i);
		}
		assertGranted("call 0 after 1119", "call 1 after 2230", "call 2 after 3341");
	}

	@ParameterizedTest
	@CsvSource({ "0, 1111", "7, 7000" })
	void releasedOrChanged_holdCutAndRateStays(int longest, int grantedAfter) {
		throttle(50);
		enter("first");
		double rate = this.pace.status().perSecond();
		if (longest == 0) {
			this.pace.release();
		}
		else {
			this.pace.change(Duration.ofSeconds(longest), 3);
		}
		assertGranted("first after " + grantedAfter);
		assertThat(this.pace.status().perSecond()).isEqualTo(rate);
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

	@Test
	void readings_slowerOfThem() {
		told(new QuotaReading("requests", 100, 10, Duration.ofSeconds(60), true, false),
				new QuotaReading("tokens", 1000, 500, Duration.ofSeconds(30), false, false));
		enter("first");
		assertGranted("first after 6000");
	}

	@Test
	void nothingLeft_atLeastOneInTheLongestHold() {
		told(new QuotaReading("requests", 100, 0, Duration.ofDays(10), true, true));
		enter("first");
		enter("second");
		assertGranted("first after 60000", "second after 120000");
	}

	@Test
	void readingRaises_timerArmedAnewUnlessItIsOlder() {
		long start = this.time.nanoTime();
		this.time.advance(Duration.ofSeconds(1));
		told(new QuotaReading("requests", 10, 1, Duration.ofSeconds(50), true, true));
		enter("first");
		told(new QuotaReading("requests", 10, 10, Duration.ofSeconds(2), true, true));
		this.pace.told(start, List.of(new QuotaReading("requests", 10, 0, Duration.ofSeconds(50), true, true)));
		assertGranted("first after 1000");
	}

	@Test
	void invalidLimits_refused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.pace.change(Duration.ZERO, 3))
			.withMessage("Invalid maxHold (0ms): must be above zero.");
		assertThatIllegalArgumentException().isThrownBy(() -> this.pace.change(Duration.ofSeconds(1), -1))
			.withMessage("Invalid maxWaiting (-1): must not be negative.");
	}

}
