package dev.backoff.pace;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.backoff.time.Nanos;

/**
 * The quotas that responses have told, each with its last reading and what is left of it
 * by now. Used under the lock of its pace.
 */
final class Quotas {

	/*
	 * The gap between two attempts is cost × time to reset ÷ what is left. Processes that
	 * share a quota all see one reading, so that together they settle at the refill.
	 */

	/* Names come from outside. */
	private static final int MOST = 8;

	private final List<Quota> quotas = new ArrayList<>(2);

	/* How many attempts have begun, and when the last did. */
	private long begun;

	private long last;

	Quotas(long now) {
		this.last = now;
	}

	/** Note that an attempt begins. */
	void begins(long now) {
		this.begun++;
		this.last = now;
	}

	double sinceLast(long now) {
		return Math.max(0, now - this.last);
	}

	/** Take all that the response to an attempt with the given start told. */
	void read(List<QuotaReading> readings, long start) {
		double requests = 0;
		for (QuotaReading told : readings) {
			requests = Math.max(requests, (told.isTold() && told.ofRequests()) ? told.used() : 0);
		}
		for (QuotaReading told : readings) {
			double cost = (told.ofRequests() || requests == 0) ? 1 : told.used() / requests;
			if (told.isTold()) {
				of(told, start).read(told, Math.min((double) told.limit(), Math.max(1, cost)), start, this.begun);
			}
		}
	}

	private Quota of(QuotaReading told, long start) {
		for (Quota known : this.quotas) {
			if (known.told.name().equals(told.name())) {
				return known;
			}
		}
		Quota added = new Quota(told, start);
		if (this.quotas.size() < MOST) {
			this.quotas.add(added);
		}
		return added;
	}

	/** Return the time from now until the next attempt, by the slowest quota. */
	double untilNext(long now) {
		double longest = Double.NEGATIVE_INFINITY;
		for (int i = 0; i < this.quotas.size(); i++) {
			longest = Math.max(longest, this.quotas.get(i).untilNext(now, sinceLast(now), this.begun));
		}
		return longest;
	}

	/** Return what a response would tell now. */
	List<QuotaReading> estimates(long now) {
		return this.quotas.stream().map((quota) -> quota.estimate(now, this.begun)).toList();
	}

	private static final class Quota {

		private QuotaReading told;

		/* Of one request. */
		private double cost;

		private double remaining;

		/* The reading of the ticker to which the remaining part belongs. */
		private long at;

		/* How many attempts had begun by then. */
		private long begun;

		private double reset;

		/* Of a window that follows without a reading. */
		private double period;

		/* Of a bucket, a nanosecond; 0 while it is unknown. */
		private double refill;

		Quota(QuotaReading told, long at) {
			this.told = told;
			this.at = at;
		}

		void read(QuotaReading told, double cost, long at, long begun) {
			if (at - this.at < 0) {
				return;
			}
			this.told = told;
			this.cost = cost;
			this.remaining = Math.min(told.remaining(), told.limit());
			this.at = at;
			this.begun = begun;
			this.reset = Nanos.of(told.reset());
			this.period = Math.max(this.reset, this.period);
			if (told.used() > 0 && this.reset > 0) {
				this.refill = told.used() / this.reset;
			}
		}

		double untilNext(long now, double sinceLast, long begun) {
			double left = left(now, begun);
			double whole = untilWhole(now, left);
			if (left >= this.cost) {
				return this.cost * whole / left - sinceLast;
			}
			return this.told.window() ? whole : (this.cost - left) / this.refill;
		}

		private double left(long now, long begun) {
			double limit = this.told.limit();
			double since = now - this.at;
			if (this.told.window() && since >= this.reset && this.period > 0) {
				this.at += (long) (this.reset + Math.floor((since - this.reset) / this.period) * this.period);
				this.reset = this.period;
				this.remaining = limit;
				this.begun = begun;
			}
			double left = this.remaining - (begun - this.begun) * this.cost;
			// what began since then is inside the cap, or the debt would never end
			return this.told.window() ? left : (this.refill > 0) ? Math.min(limit, left + this.refill * since) : limit;
		}

		private double untilWhole(long now, double left) {
			if (this.told.window()) {
				return Math.max(0, this.reset - (now - this.at));
			}
			return (this.refill > 0) ? (this.told.limit() - left) / this.refill : 0;
		}

		QuotaReading estimate(long now, long begun) {
			double left = left(now, begun);
			return new QuotaReading(this.told.name(), this.told.limit(), (long) Math.max(0, left),
					Duration.ofNanos((long) untilWhole(now, left)), this.told.ofRequests(), this.told.window());
		}

	}

}
