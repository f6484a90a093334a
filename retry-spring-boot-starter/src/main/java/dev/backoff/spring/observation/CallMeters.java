package dev.backoff.spring.observation;

import java.util.List;
import java.util.function.Supplier;

import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import dev.backoff.event.StopReason;

/**
 * The whole calls of one method, by why they ended. Thread-safe.
 */
sealed interface CallMeters permits CallTotals, CallTimers {

	/** Those that exist from the start: what always happens, and what alerts ask for. */
	List<StopReason> FROM_THE_START = List.of(StopReason.SUCCEEDED, StopReason.ATTEMPTS_EXHAUSTED, StopReason.DEADLINE,
			StopReason.BUDGET, StopReason.BREAKER_OPEN);

	/** Record a call. */
	void record(StopReason reason, long nanos);

	/** Return how many calls ended for the given reason. */
	long count(StopReason reason);

	/**
	 * Let calls that succeed at once be read off the timer of their attempts, instead of
	 * being recorded here.
	 */
	@Nullable TimedCalls readOff(Timer timer, Supplier<? extends @Nullable TimedCalls> first);

	/** Publish the calls that ended for the given reason, at zero if there are none. */
	void publish(StopReason reason);

	/** Let all be published anew, since a registry has lost a meter. */
	void unpublish();

}
