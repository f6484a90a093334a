package dev.backoff.spring.observation;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * A timer of attempts, off which calls may be read.
 *
 * @param timer records them
 * @param calls what is read off it, perhaps for somebody else, or null
 */
record AttemptTimer(Timer timer, @Nullable TimedCalls calls) {

	/** Record an attempt that is not read as a call. */
	void record(long nanos) {
		if (this.calls != null) {
			this.calls.recordOther(nanos);
		}
		else {
			this.timer.record(nanos, TimeUnit.NANOSECONDS);
		}
	}

}
