package dev.backoff.breaker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.window.OutcomeWindow.Counts;
import dev.backoff.window.OutcomeWindow.WindowLength;

import static org.assertj.core.api.Assertions.assertThat;

/** The breaker beside a model that remembers each call, by walks of fixed seeds. */
class CircuitBreakerModelTests {

	private static final int SEEDS = Integer.getInteger("model.seeds", 400);

	private static final int STEPS = 300;

	private static final long SLOW = 1_000;

	@Test
	void doesWhatItsModelDoes() {
		Set<BreakerState> entered = EnumSet.noneOf(BreakerState.class);
		for (int seed = 0; seed < SEEDS; seed++) {
			new Walk(seed).go(entered);
		}
		assertThat(entered).as("states that were met").containsExactlyInAnyOrder(BreakerState.values());
	}

	/** One breaker and its model, taken the same random way. */
	private static final class Walk {

		private final Random random;

		private final int seed;

		private final VirtualTime time;

		private final Model model;

		private final CircuitBreaker breaker;

		private final BreakerFixture.Transitions told = new BreakerFixture.Transitions();

		/* What is under way: for each permit what the model knows of it. */
		private final List<Permit> permits = new ArrayList<>();

		private final List<Object> modelled = new ArrayList<>();

		private String last = "start";

		Walk(int seed) {
			this.seed = seed;
			this.random = new Random(seed);
			this.time = (seed % 7 == 0) ? VirtualTime.wrappingAfter(Duration.ofSeconds(40)) : new VirtualTime();
			BreakerSettings settings = settings();
			this.model = new Model(settings, this.time);
			this.breaker = CircuitBreaker.builder("modelled")
				.settings(settings)
				.time(this.time)
				.random(RandomSources.least())
				.listener(this.told)
				.build();
		}

		private BreakerSettings settings() {
			int minimumCalls = 1 + this.random.nextInt(6);
			WindowLength window = this.random.nextInt(3) == 0
					? WindowLength.ofCalls(minimumCalls + this.random.nextInt(8)) : WindowLength.of(length());
			return BreakerSettings.builder()
				.minimumCalls(minimumCalls)
				.window(window)
				.failureRate((1 + this.random.nextInt(10)) / 10.0)
				.slowCallRate((1 + this.random.nextInt(10)) / 10.0)
				.slowCall(this.random.nextBoolean() ? Duration.ofNanos(SLOW) : null)
				.openFor(length())
				.openForMultiplier(1 + this.random.nextInt(3) / 2.0)
				.probes(1 + this.random.nextInt(3))
				.halfOpenTimeout(length())
				.build();
		}

		private Duration length() {
			return switch (this.random.nextInt(5)) {
				case 0 -> Duration.ofMillis(1);
				case 1 -> Duration.ofNanos(1 + this.random.nextInt(25));
				case 2 -> Duration.ofSeconds(1 + this.random.nextInt(20));
				case 3 -> Duration.ofHours(1 + this.random.nextInt(30));
				default -> Duration.ofMillis(1 + this.random.nextInt(20_000));
			};
		}

		void go(Set<BreakerState> entered) {
			for (int step = 0; step < STEPS; step++) {
				step();
				entered.add(this.breaker.state());
				compare();
			}
		}

		private void step() {
			int chosen = this.random.nextInt(100);
			if (chosen < 30) {
				this.last = "permit";
				acquire();
			}
			else if (chosen < 65 && !this.permits.isEmpty()) {
				this.last = "end";
				end();
			}
			else if (chosen < 90) {
				long nanos = step(this.random.nextInt(9));
				this.last = "time " + nanos;
				this.time.advance(Duration.ofNanos(nanos));
			}
			else if (chosen < 95) {
				byHand(this.random.nextInt(6));
			}
			else {
				this.last = "ask";
				assertThat(this.breaker.isPermitting(now())).as(this::where).isEqualTo(this.model.isPermitting());
			}
		}

		/* Nothing, the borders of what there is, a part of it, a leap, a step back. */
		private long step(int kind) {
			BreakerSettings settings = this.breaker.settings();
			Duration window = settings.window().time();
			long slice = this.model.slice();
			return switch (kind) {
				case 0 -> 0;
				case 1 -> slice - Math.floorMod(now() - this.model.start(), slice);
				case 2 -> this.breaker.nanosToPermit(now());
				case 3 -> Math.max(0, this.breaker.nanosToPermit(now()) - 1);
				case 4 -> (window != null) ? window.toNanos() - this.random.nextInt(2) : 1;
				case 5 -> settings.halfOpenTimeout().toNanos() - this.random.nextInt(2);
				case 6 -> (this.random.nextInt(10) == 0) ? Duration.ofDays(400).toNanos()
						: (long) (this.random.nextDouble() * 3 * slice);
				case 7 -> (window != null) ? (this.random.nextBoolean() ? 1 : -1) * slice * this.model.slices() : -1;
				default -> -(long) (this.random.nextDouble() * 4 * slice);
			};
		}

		private void acquire() {
			Permit permit = this.breaker.tryAcquire(now());
			Object modelled = this.model.acquire();
			assertThat(permit != null).as(this::where).isEqualTo(modelled != null);
			if (permit != null && modelled != null) {
				this.permits.add(permit);
				this.modelled.add(modelled);
			}
		}

		private void end() {
			int which = this.random.nextInt(this.permits.size());
			Permit permit = this.permits.remove(which);
			Object modelled = this.modelled.remove(which);
			long took = this.random.nextInt(4) == 0 ? SLOW + 1 : SLOW;
			switch (this.random.nextInt(5)) {
				case 0 -> {
					permit.released();
					this.model.release(modelled);
				}
				case 1, 2 -> {
					permit.succeeded(took, now());
					this.model.end(modelled, false, took);
				}
				default -> {
					permit.failed(took, now(), null);
					this.model.end(modelled, true, took);
				}
			}
		}

		private void byHand(int kind) {
			this.last = "by hand " + kind;
			switch (kind) {
				case 0 -> this.breaker.reset();
				case 1 -> this.breaker.open();
				case 2 -> this.breaker.openFor(Duration.ofMillis(5));
				case 3 -> this.breaker.forceOpen();
				case 4 -> this.breaker.disable();
				default -> {
					// stay
				}
			}
			this.model.byHand(kind);
		}

		private void compare() {
			assertThat(this.breaker.state()).as(this::where).isEqualTo(this.model.shown());
			assertThat(this.breaker.counts()).as(this::where).isEqualTo(this.model.counts());
			assertThat(this.breaker.nanosToPermit(now())).as(this::where).isEqualTo(this.model.nanosToPermit());
			assertThat(this.breaker.rejected()).as(this::where).isEqualTo(this.model.rejected);
			assertThat(this.breaker.timeToProbe()).as(this::where)
				.isEqualTo((this.model.nanosToPermit() > 0) ? Duration.ofNanos(this.model.nanosToPermit()) : null);
			assertThat(this.told).as(this::where).isEqualTo(this.model.told);
		}

		private String where() {
			return "seed " + this.seed + ", " + this.breaker + ", after " + this.last;
		}

		private long now() {
			return this.time.nanoTime();
		}

	}

	/** What a breaker promises, in the simplest way that does it. */
	private static final class Model {

		private final BreakerSettings settings;

		private final VirtualTime time;

		private BreakerState state = BreakerState.CLOSED;

		/* What a permit must still be of to count. */
		private Object period = new Object();

		private List<Call> calls = new ArrayList<>();

		private @Nullable Long windowStart;

		private Counts openedBy = Counts.NONE;

		private long since;

		private long openNanos;

		private int opens;

		private int out;

		private long rejected;

		private final List<String> told = new ArrayList<>();

		Model(BreakerSettings settings, VirtualTime time) {
			this.settings = settings;
			this.time = time;
		}

		long slice() {
			Duration window = this.settings.window().time();
			if (window == null) {
				return 1;
			}
			long nanos = window.toNanos();
			long seconds = (nanos + 999_999_999) / 1_000_000_000;
			long slices = Math.min(600, Math.max(10, seconds));
			return (nanos + slices - 1) / slices;
		}

		long start() {
			return (this.windowStart != null) ? this.windowStart : this.time.nanoTime();
		}

		@Nullable Object acquire() {
			if (this.state == BreakerState.OPEN && nanosToPermit() == 0) {
				this.opens++;
				enter(BreakerState.HALF_OPEN);
			}
			boolean permitted = isPermitting();
			if (!permitted) {
				this.rejected++;
				return null;
			}
			if (this.state == BreakerState.HALF_OPEN) {
				if (this.out == 0) {
					this.since = this.time.nanoTime();
				}
				this.out++;
			}
			return this.period;
		}

		BreakerState shown() {
			return (this.state == BreakerState.OPEN && nanosToPermit() == 0) ? BreakerState.HALF_OPEN : this.state;
		}

		boolean isPermitting() {
			reopenIfOverdue();
			return switch (this.state) {
				case OPEN -> nanosToPermit() == 0;
				case FORCED_OPEN -> false;
				case HALF_OPEN -> this.out + this.calls.size() < this.settings.probes();
				default -> true;
			};
		}

		private boolean reopenIfOverdue() {
			boolean overdue = this.state == BreakerState.HALF_OPEN && this.out > 0
					&& elapsed() >= this.settings.halfOpenTimeout().toNanos();
			if (overdue) {
				open(counts());
			}
			return overdue;
		}

		private long elapsed() {
			this.since = (this.time.nanoTime() - this.since < 0) ? this.time.nanoTime() : this.since;
			return this.time.nanoTime() - this.since;
		}

		void release(Object period) {
			if (period == this.period) {
				this.out--;
			}
		}

		void end(Object period, boolean failed, long took) {
			if (period != this.period || reopenIfOverdue()) {
				return;
			}
			boolean slow = this.settings.slowCall() != null && took > this.settings.slowCall().toNanos();
			if (this.state == BreakerState.HALF_OPEN) {
				this.out--;
				this.calls.add(new Call(0, failed, slow));
				if (this.calls.size() >= this.settings.probes()) {
					decide();
				}
			}
			else if (this.state != BreakerState.DISABLED) {
				count(failed, slow);
			}
		}

		private void decide() {
			if (isTooHigh(counts())) {
				open(counts());
			}
			else {
				this.opens = 0;
				enter(BreakerState.CLOSED);
			}
		}

		private void count(boolean failed, boolean slow) {
			this.windowStart = start();
			long number = number();
			int most = this.settings.window().calls();
			if (most > 0) {
				this.calls.add(new Call(0, failed, slow));
				this.calls = new ArrayList<>(
						this.calls.subList(Math.max(0, this.calls.size() - most), this.calls.size()));
			}
			else {
				// there is one place for all numbers that are a whole window apart
				this.calls.removeIf((call) -> call.slice != number && (call.slice - number) % slices() == 0);
				this.calls.add(new Call(number, failed, slow));
			}
			if ((failed || slow) && this.state == BreakerState.CLOSED
					&& counts().total() >= this.settings.minimumCalls() && isTooHigh(counts())) {
				this.opens = 0;
				open(counts());
			}
		}

		long slices() {
			return (this.settings.window().time().toNanos() + slice() - 1) / slice();
		}

		private long number() {
			return Math.floorDiv(this.time.nanoTime() - start(), slice());
		}

		private boolean isTooHigh(Counts counts) {
			return counts.failed() >= this.settings.failureRate() * counts.total() - 1e-9
					|| counts.slow() >= this.settings.slowCallRate() * counts.total() - 1e-9;
		}

		Counts counts() {
			return switch (this.state) {
				case OPEN -> this.openedBy;
				case CLOSED, HALF_OPEN -> {
					boolean timed = this.state != BreakerState.HALF_OPEN && this.settings.window().time() != null;
					List<Call> live = this.calls.stream()
						.filter((call) -> !timed || Math.abs(number() - call.slice) < slices())
						.toList();
					yield new Counts(live.size(), live.stream().filter(Call::failed).count(),
							live.stream().filter(Call::slow).count());
				}
				default -> Counts.NONE;
			};
		}

		long nanosToPermit() {
			return (this.state == BreakerState.OPEN) ? Math.max(0, this.openNanos - elapsed()) : 0;
		}

		private void open(Counts counts) {
			double grown = this.settings.openFor().toNanos() * Math.pow(this.settings.openForMultiplier(), this.opens);
			long cap = Math.max(Duration.ofHours(1).toNanos(), this.settings.openFor().toNanos());
			long longest = (grown < cap) ? (long) grown : cap;
			enter(BreakerState.OPEN);
			this.openedBy = counts;
			this.openNanos = longest - longest / 2;
		}

		private void enter(BreakerState next) {
			if (next != this.state) {
				this.told.add(this.state + " -> " + next);
			}
			this.state = next;
			this.period = new Object();
			this.calls.clear();
			this.windowStart = null;
			this.out = 0;
			this.since = this.time.nanoTime();
		}

		void byHand(int kind) {
			switch (kind) {
				case 0 -> {
					this.opens = 0;
					enter(BreakerState.CLOSED);
				}
				case 1 -> open(Counts.NONE);
				case 2 -> {
					open(Counts.NONE);
					this.openNanos = Duration.ofMillis(5).toNanos();
				}
				case 3 -> setAside(BreakerState.FORCED_OPEN);
				case 4 -> setAside(BreakerState.DISABLED);
				default -> {
					// stay
				}
			}
		}

		private void setAside(BreakerState state) {
			this.opens = 0;
			enter(state);
		}

		private record Call(long slice, boolean failed, boolean slow) {
		}

	}

}
