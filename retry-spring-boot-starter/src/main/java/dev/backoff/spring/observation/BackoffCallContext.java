package dev.backoff.spring.observation;

import java.time.Duration;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.time.Nanos;

/**
 * An observed call, without its arguments and its result. Used by the thread that drives
 * the call.
 *
 * @since 0.1
 */
public final class BackoffCallContext extends Observation.Context {

	private final String policy;

	private final String method;

	private @Nullable StopReason stop;

	private RecoveryOutcome recovery = RecoveryOutcome.NONE;

	private int attempts;

	private long delays;

	private long delay;

	BackoffCallContext(String policy, String method) {
		this.policy = policy;
		this.method = method;
	}

	/** Return the policy's name. */
	public String policy() {
		return this.policy;
	}

	/** Return the method, as in {@code OrderService.place}, or a call's label. */
	public String method() {
		return this.method;
	}

	/** Return the stop reason, or null while the call runs. */
	public @Nullable StopReason stop() {
		return this.stop;
	}

	/** Return the result of the recovery; {@code NONE} while the call runs. */
	public RecoveryOutcome recovery() {
		return this.recovery;
	}

	/** Return the number of attempts that began. */
	public int attempts() {
		return this.attempts;
	}

	/** Return the sum of the chosen delays. */
	public Duration delays() {
		return Duration.ofNanos(this.delays);
	}

	/** Note that an attempt begins; return the delay before it, in nanoseconds. */
	long attemptBegins(int number) {
		this.attempts = number;
		long before = this.delay;
		this.delay = 0;
		return before;
	}

	void waitBegins(long nanos) {
		this.delay = Nanos.plus(this.delay, nanos);
		this.delays = Nanos.plus(this.delays, nanos);
	}

	void ends(StopReason reason, int attempts, RecoveryOutcome recovery) {
		this.stop = reason;
		this.attempts = attempts;
		this.recovery = recovery;
	}

}
