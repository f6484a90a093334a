package dev.backoff.simulator;

import java.time.Duration;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;

/**
 * The service that is called: one queue, first come, first served. It does not notice
 * that callers give up, and serves their requests too. Not thread-safe.
 */
final class Service {

	/*
	 * The queue is one number, the time at which the service can begin another request,
	 * so the end of a request is known when it arrives.
	 */

	private static final int SLOWER = 10;

	private final Scenario scenario;

	private final long slot;

	private final long faultBegins;

	private final long faultEnds;

	private final SplittableRandom chance;

	private long freeAt;

	Service(Scenario scenario, long faultBegins, long seed) {
		this.scenario = scenario;
		this.slot = Math.round(1e9 / scenario.capacity());
		this.faultBegins = faultBegins;
		this.faultEnds = faultBegins + scenario.faultTime().toNanos();
		this.chance = new SplittableRandom(seed);
	}

	Answer take(long now) {
		long latency = this.scenario.latency().toNanos();
		Fault fault = this.scenario.fault();
		if (fault.kind() == Fault.Kind.OUTAGE && isFaulty(now)) {
			return new Answer(now + latency, false, null);
		}
		if (fault.kind() == Fault.Kind.TIMEOUTS && isFaulty(now)) {
			return new Answer(Long.MAX_VALUE, false, null);
		}
		if (fault.kind() == Fault.Kind.THROTTLE && isFaulty(now)) {
			return new Answer(now + latency, false, new ThrottledException(
					Duration.ofSeconds(Duration.ofNanos(this.faultEnds - now - 1).toSeconds() + 1)));
		}
		long start = Math.max(now, this.freeAt);
		if (fault.kind() == Fault.Kind.STALL && isFaulty(start)) {
			start = this.faultEnds;
		}
		this.freeAt = start + this.slot;
		boolean good = fault.kind() != Fault.Kind.ERRORS || !isFaulty(now) || this.chance.nextDouble() >= fault.share();
		boolean slow = fault.kind() == Fault.Kind.SLOW && isFaulty(start);
		return new Answer(start + (slow ? SLOWER * latency : latency), good, null);
	}

	private boolean isFaulty(long time) {
		return time >= this.faultBegins && time < this.faultEnds;
	}

	/** When an answer comes, whether it is good, and what it throws. */
	record Answer(long at, boolean good, @Nullable ThrottledException throttled) {
	}

}
