package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;

/**
 * A {@link StopQuota} for each policy and stop reason. After {@value #MOST} of them,
 * further policies share the name {@code other}. Thread-safe.
 */
final class StopQuotas {

	private static final int MOST = 1_000;

	private static final long SWEEP_INTERVAL = Duration.ofSeconds(1).toNanos();

	private final Map<Kind, StopQuota> quotas = new ConcurrentHashMap<>();

	private final AtomicLong lastSweep;

	private final Report report;

	/** Make quotas that report held stops when their minute is over. */
	StopQuotas(long now, Report report) {
		this.lastSweep = new AtomicLong(now);
		this.report = report;
	}

	/**
	 * Return the place of a stop within its minute, counted from 1, or 0 if it is held.
	 */
	int take(RetryEvent.Stopped event, long now) {
		RetriesStoppedException story = event.story();
		Kind kind = kind(event.policy(), story.reason());
		StopQuota.Answer answer = this.quotas.computeIfAbsent(kind, (key) -> new StopQuota())
			.ask(now, story.attempts(), event.recovery() == RecoveryOutcome.DONE);
		report(kind, answer.earlier(), now);
		return answer.place();
	}

	/** Report the stops of minutes that are over; at most once a second. */
	void sweep(long now) {
		long last = this.lastSweep.get();
		if (now - last >= SWEEP_INTERVAL && this.lastSweep.compareAndSet(last, now)) {
			this.quotas.forEach((kind, quota) -> report(kind, quota.takeIfOver(now), now));
		}
	}

	/** Report all held stops. */
	void close(long now) {
		this.quotas.forEach((kind, quota) -> report(kind, quota.take(), now));
	}

	private void report(Kind kind, StopQuota.@Nullable Held held, long now) {
		if (held != null) {
			this.report.held(kind, held, now);
		}
	}

	private Kind kind(String policy, StopReason reason) {
		Kind kind = new Kind(policy, reason);
		return (this.quotas.size() < MOST || this.quotas.containsKey(kind)) ? kind : new Kind("other", reason);
	}

	/** The stops that share a quota. */
	record Kind(String policy, StopReason reason) {
	}

	/** Receives stops that were held. */
	@FunctionalInterface
	interface Report {

		void held(Kind kind, StopQuota.Held held, long now);

	}

}
