package dev.backoff;

import java.io.Serial;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * The story of a call that stopped without success.
 * <p>
 * It is not what the caller catches: the caller gets the original failure, which carries
 * this story as a {@linkplain Throwable#getSuppressed() suppressed} exception. A
 * {@code recover} method may take it as its last parameter. It has no stack trace of its
 * own. Its cause is what interrupted the call or made a classifier fail, if anything did.
 * Immutable and thread-safe. A serialized story keeps its message and cause only.
 *
 * @since 0.1
 */
public final class RetriesStoppedException extends RuntimeException {

	@Serial
	private static final long serialVersionUID = 1L;

	/**
	 * One wait.
	 *
	 * @param length how long it was chosen to be
	 * @param source who chose it
	 */
	public record Wait(Duration length, DelaySource source) {

		@Override
		public String toString() {
			String text = DurationText.story(Nanos.of(this.length));
			return (this.source == DelaySource.POLICY) ? text : text + " (" + this.source.tag() + ")";
		}

	}

	private final transient String policy;

	private final transient String method;

	private final transient StopReason reason;

	private final transient int attempts;

	private final transient int maxAttempts;

	private final transient Duration elapsed;

	private final transient List<Wait> waits;

	private final transient List<Duration> attemptTimes;

	private final transient boolean abridged;

	private final transient @Nullable Throwable failure;

	private final transient @Nullable Object lastResult;

	private final transient @Nullable String idempotencyKey;

	private final transient long began;

	/* Not so after it has been read from a stream: its ticker is another one's. */
	private final transient boolean ofThisProcess;

	RetriesStoppedException(RetryPolicy policy, String method, RetryCall call, Outcome outcome, Decision.Stop stop,
			long elapsed) {
		super(message(policy, call, stop, elapsed), cause(stop, outcome), false, false);
		this.policy = policy.name();
		this.method = method;
		this.reason = stop.reason();
		this.attempts = call.attempt();
		this.maxAttempts = policy.maxAttempts();
		this.elapsed = Duration.ofNanos(elapsed);
		this.waits = call.waits();
		this.attemptTimes = call.attemptTimes();
		this.abridged = call.isAbridged();
		this.failure = outcome.failure();
		this.lastResult = outcome.value();
		this.idempotencyKey = call.keyIfUsed();
		this.began = call.started();
		this.ofThisProcess = true;
	}

	/*
	 * The failure carries this story, so a cause that leads back to it would make a
	 * circle.
	 */
	private static @Nullable Throwable cause(Decision.Stop stop, Outcome outcome) {
		Throwable problem = stop.problem();
		try {
			boolean circle = problem != null && Causes.find(problem, (cause) -> cause == outcome.failure()) != null;
			return circle ? null : problem;
		}
		catch (Throwable ex) {
			// an exception that cannot be asked for its cause
			return null;
		}
	}

	private static String message(RetryPolicy policy, RetryCall call, Decision.Stop stop, long elapsed) {
		StringBuilder text = new StringBuilder("Stopped after ").append(call.attempt());
		if (policy.maxAttempts() != RetryPolicy.UNLIMITED_ATTEMPTS) {
			text.append(" of ").append(policy.maxAttempts());
		}
		int counted = (policy.maxAttempts() == RetryPolicy.UNLIMITED_ATTEMPTS) ? call.attempt() : policy.maxAttempts();
		text.append((counted == 1) ? " attempt in " : " attempts in ")
			.append(DurationText.story(elapsed))
			.append(": ")
			.append(stop.reason());
		if (stop.why() != null) {
			text.append(", ").append(stop.why());
		}
		text.append(" (policy ").append(policy.name());
		String waits = call.waitsText();
		if (!waits.isEmpty()) {
			text.append("; waits ").append(waits);
		}
		String attempts = call.attemptsText();
		if (!attempts.isEmpty()) {
			text.append("; attempts ").append(attempts);
		}
		return text.append(')').toString();
	}

	/**
	 * Return the story that a failure carries. Where a recovery threw, the failure it
	 * recovered from carries it, which is suppressed in turn. What futures and others
	 * wrap around a failure is looked through: the first of the causes that carries a
	 * story counts.
	 * @param failure what a retried call has thrown
	 * @return the story, or null if neither the failure nor one of its causes carries one
	 */
	public static @Nullable RetriesStoppedException of(Throwable failure) {
		for (Throwable candidate : Causes.of(failure)) {
			RetriesStoppedException story = carriedBy(candidate);
			if (story != null) {
				return story;
			}
		}
		return null;
	}

	private static @Nullable RetriesStoppedException carriedBy(Throwable failure) {
		RetriesStoppedException story = StopMark.of(failure);
		Throwable[] suppressed = failure.getSuppressed();
		for (int i = 0; story == null && i < suppressed.length; i++) {
			story = StopMark.of(suppressed[i]);
		}
		return story;
	}

	/**
	 * Return the policy's name.
	 * @return the name
	 */
	public String policy() {
		return this.policy;
	}

	/**
	 * Return the method, or the label of a programmatic call.
	 * @return for instance {@code OrderService.place}
	 */
	public String method() {
		return this.method;
	}

	/**
	 * Return why the call stopped.
	 * @return the reason
	 */
	public StopReason reason() {
		return this.reason;
	}

	/**
	 * Return how many attempts were made, the first included.
	 * @return 0 if a breaker refused the first, else 1 or more
	 */
	public int attempts() {
		return this.attempts;
	}

	/**
	 * Return how many attempts were allowed, the first included.
	 * @return 1 or more, {@link RetryPolicy#UNLIMITED_ATTEMPTS} for no limit
	 */
	public int maxAttempts() {
		return this.maxAttempts;
	}

	/**
	 * Return the time from the start of the call to its stop.
	 * @return zero or more
	 */
	public Duration elapsed() {
		return this.elapsed;
	}

	/**
	 * Return the waits between the attempts; of more than six the first and last three.
	 * @return an immutable list
	 */
	public List<Wait> waits() {
		return this.waits;
	}

	/**
	 * Return how long the attempts took; of more than six the first and last three.
	 * @return an immutable list
	 */
	public List<Duration> attemptTimes() {
		return this.attemptTimes;
	}

	/**
	 * Return whether waits or attempts are left out of the lists.
	 * @return true after more than six attempts
	 */
	public boolean isAbridged() {
		return this.abridged;
	}

	/**
	 * Return what the last attempt threw.
	 * @return the failure, or null if the last attempt returned a result
	 */
	public @Nullable Throwable failure() {
		return this.failure;
	}

	/**
	 * Return the last result that was not good enough.
	 * @return the result, or null
	 */
	public @Nullable Object lastResult() {
		return this.lastResult;
	}

	/**
	 * Return the key that the attempts sent, so that what follows can send it again.
	 * @return the key, or null if no attempt asked for it
	 */
	public @Nullable String idempotencyKey() {
		return this.idempotencyKey;
	}

	/** Return whether the call began after a reading of its ticker. */
	boolean beganAfter(long reading) {
		return this.ofThisProcess && this.began - reading > 0;
	}

}
