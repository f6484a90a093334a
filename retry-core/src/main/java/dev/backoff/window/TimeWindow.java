package dev.backoff.window;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.Nanos;

/** Count over a time, slice by slice. */
final class TimeWindow implements OutcomeWindow {

	/*
	 * Time is cut into slices, numbered from the first reading on. Slice number e lives
	 * in place e modulo the number of places. A slice keeps its number for ever. When its
	 * time is over, the first thread that records in its place puts a new object there by
	 * one compare-and-set, and other threads take that object. A thread that was delayed
	 * then writes into an object that is no longer read, not into the wrong slice.
	 *
	 * A success thus reads three references and adds to one LongAdder; only the first of
	 * a slice allocates. It divides only if the slice found last is not its own or has
	 * been replaced.
	 *
	 * Numbers are compared by difference. A slice counts while it is nearer than a whole
	 * window, before or after. So neither a late reading nor a clock that steps back a
	 * little loses counts, and a clock that steps far back starts anew.
	 */

	/* Counting visits every slice: a window over days must not make that slow. */
	private static final int MOST_SLICES = 600;

	private static final int LEAST_SLICES = 10;

	private static final long LONGEST_SLICE = 1_000_000_000;

	private static final AtomicReferenceFieldUpdater<TimeWindow, @Nullable Ring> RING = AtomicReferenceFieldUpdater
		.newUpdater(TimeWindow.class, Ring.class, "ring");

	private final long sliceNanos;

	private final int slices;

	private volatile @Nullable Ring ring;

	TimeWindow(Duration length) {
		long nanos = Nanos.of(length);
		long wanted = Math.max(LEAST_SLICES, Math.min(MOST_SLICES, divideUp(nanos, LONGEST_SLICE)));
		this.sliceNanos = divideUp(nanos, wanted);
		this.slices = (int) divideUp(nanos, this.sliceNanos);
	}

	private static long divideUp(long positive, long divisor) {
		return 1 + (positive - 1) / divisor;
	}

	@Override
	public void record(boolean failed, boolean slow, long now) {
		ring(now).slice(now).add(failed, slow);
	}

	private Ring ring(long now) {
		Ring seen = this.ring;
		while (seen == null) {
			RING.compareAndSet(this, null, new Ring(now, this.sliceNanos, this.slices));
			seen = this.ring;
		}
		return seen;
	}

	@Override
	public Counts counts(long now) {
		Ring seen = this.ring;
		return (seen != null) ? seen.counts(now) : Counts.NONE;
	}

	/** The slices since the first reading. */
	private static final class Ring {

		private final long start;

		private final long sliceNanos;

		private final AtomicReferenceArray<@Nullable Slice> places;

		private volatile @Nullable Slice recent;

		Ring(long start, long sliceNanos, int slices) {
			this.start = start;
			this.sliceNanos = sliceNanos;
			this.places = new AtomicReferenceArray<>(slices);
		}

		Slice slice(long now) {
			Slice hint = this.recent;
			if (hint != null) {
				long elapsed = now - this.start;
				if (elapsed >= hint.begin && elapsed - hint.begin < this.sliceNanos && !hint.replaced) {
					return hint;
				}
			}
			Slice found = find(number(now));
			if (found.number >= 0) {
				// before the start, its begin may be out of the long range
				this.recent = found;
			}
			return found;
		}

		private Slice find(long number) {
			int place = Math.floorMod(number, this.places.length());
			Slice seen = this.places.get(place);
			while (seen == null || !isLive(seen, number)) {
				Slice next = new Slice(number, number * this.sliceNanos);
				if (this.places.compareAndSet(place, seen, next)) {
					if (seen != null) {
						seen.replaced = true;
					}
					return next;
				}
				seen = this.places.get(place);
			}
			return seen;
		}

		Counts counts(long now) {
			long number = number(now);
			long total = 0;
			long failed = 0;
			long slow = 0;
			for (int place = 0; place < this.places.length(); place++) {
				Slice slice = this.places.get(place);
				if (slice != null && isLive(slice, number)) {
					// in the opposite order of adding: never more failed than there are
					failed += slice.failed.sum();
					slow += slice.slow.sum();
					total += slice.total.sum();
				}
			}
			return new Counts(total, failed, slow);
		}

		private long number(long now) {
			return Math.floorDiv(now - this.start, this.sliceNanos);
		}

		private boolean isLive(Slice slice, long number) {
			long age = number - slice.number;
			return age < this.places.length() && age > -this.places.length();
		}

	}

	/** What was counted in one slice of time. */
	private static final class Slice {

		private final long number;

		/* In nanoseconds since the start of the ring. */
		private final long begin;

		/* True once no thread reads these counts any more. */
		private volatile boolean replaced;

		private final LongAdder total = new LongAdder();

		private final LongAdder failed = new LongAdder();

		private final LongAdder slow = new LongAdder();

		Slice(long number, long begin) {
			this.number = number;
			this.begin = begin;
		}

		void add(boolean failed, boolean slow) {
			this.total.increment();
			if (failed) {
				this.failed.increment();
			}
			if (slow) {
				this.slow.increment();
			}
		}

	}

}
