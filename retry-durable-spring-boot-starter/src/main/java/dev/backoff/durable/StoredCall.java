package dev.backoff.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

import dev.backoff.ResumedCall;
import dev.backoff.event.StopReason;
import dev.backoff.failure.Causes;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.time.Nanos;

/**
 * A call as its row holds it. Immutable.
 *
 * @param method the method, for operators: the policy finds it
 * @param arguments a JSON array with one value for each parameter
 * @param slot the time of the schedule that it is of, or null
 * @param fence what the versions of earlier rows of the call add up to
 * @param delayMs the part of the last wait that the policy's rule chose
 * @param timeouts how many attempts timed out last, one after the other
 * @param stop what the last attempt threw, and why the call stopped if it has
 * @param trace the headers of the trace that submitted it, or null
 * @param unreadable the bytes of a row that cannot be read, as Latin-1, or null
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
record StoredCall(int format, String id, @Nullable String key, String method,
		@JsonRawValue @JsonDeserialize(using = CallJson.Raw.class) String arguments, Instant submitted,
		@Nullable Instant deadline, @Nullable Instant slot, int attempts, int losses, long fence, long delayMs,
		boolean finalPoll, int timeouts, @Nullable Stop stop, @Nullable Map<String, String> trace,
		@JsonIgnore @Nullable String unreadable) {

	static final int FORMAT = 1;

	static final Instant NEVER = Instant.parse("9999-12-31T00:00:00Z");

	private static final String TAKEN = "; not requeued, since another call has the key";

	private static final int LONGEST_MESSAGE = 1_000;

	static final int LONGEST_KEY = 100;

	/* It is logged, and an old row may hold any. */
	StoredCall {
		key = (key != null) ? Problem.oneLine(key, LONGEST_KEY) : null;
	}

	/** Return the name of the task of a policy's dead letters. */
	static String deadTask(String policy) {
		return policy + "/dead";
	}

	static StoredCall submitted(String id, @Nullable String key, String method, String arguments, Instant now,
			long deadline, @Nullable Map<String, String> trace) {
		return new StoredCall(FORMAT, id, key, method, arguments, now, end(now, deadline), null, 0, 0, 0, 0, false, 0,
				null, trace, null);
	}

	private static @Nullable Instant end(Instant now, long deadline) {
		return (deadline != Nanos.UNLIMITED) ? now.plusNanos(deadline) : null;
	}

	static StoredCall ofSlot(String id, String method, String arguments, Instant slot, long fence) {
		return new StoredCall(FORMAT, id, null, method, arguments, slot, null, slot, 0, 0, fence, 0, false, 0, null,
				null, null);
	}

	/** Return the call of a slot whose first attempt begins now. */
	StoredCall begun(Instant now, long deadline) {
		return with(now, end(now, deadline), this.slot, 0, this.losses, this.fence, 0, false, 0, null);
	}

	private StoredCall with(Instant submitted, @Nullable Instant deadline, @Nullable Instant slot, int attempts,
			int losses, long fence, long delayMs, boolean finalPoll, int timeouts, @Nullable Stop stop) {
		return new StoredCall(this.format, this.id, this.key, this.method, this.arguments, submitted, deadline, slot,
				attempts, losses, fence, delayMs, finalPoll, timeouts, stop, this.trace, this.unreadable);
	}

	static StoredCall unreadable(String bytes) {
		return new StoredCall(0, "", null, "", "", Instant.EPOCH, null, null, 0, 0, 0, 0, false, 0, null, null, bytes);
	}

	@JsonIgnore
	boolean isReadable() {
		return this.unreadable == null;
	}

	ResumedCall kept(Instant now, long version, @Nullable String loss) {
		Duration elapsed = Duration.between(this.submitted, now);
		return new ResumedCall(this.id, this.fence + version, this.attempts,
				elapsed.isNegative() ? Duration.ZERO : elapsed,
				(this.deadline != null) ? Duration.between(now, this.deadline) : null, Duration.ofMillis(this.delayMs),
				this.finalPoll, this.timeouts, loss, (this.stop != null) ? this.stop.failure() : null);
	}

	StoredCall again(ResumedCall.Again next) {
		// what is not told of the last attempt is told of the one before
		Stop last = (next.failure() != null || next.attempts() == this.attempts) ? stop(next.failure()) : null;
		return with(this.submitted, this.deadline, this.slot, next.attempts(), this.losses, this.fence,
				next.previousDelay().toMillis(), next.finalPoll(), next.timeouts(), last);
	}

	StoredCall lost() {
		return with(this.submitted, this.deadline, this.slot, this.attempts, this.losses + 1, this.fence, this.delayMs,
				this.finalPoll, this.timeouts, this.stop);
	}

	/** Return what was thrown last, now or before. */
	Stop stop(@Nullable Throwable thrown) {
		if (thrown == null) {
			return (this.stop != null) ? this.stop : new Stop(null, null, null, null);
		}
		String message = Causes.message(thrown);
		if (message != null && message.length() > LONGEST_MESSAGE) {
			message = message.substring(0, LONGEST_MESSAGE);
		}
		return new Stop(null, thrown.getClass().getName(), message, null);
	}

	/** Return the dead letter, in a row whose version begins again. */
	StoredCall dead(int attempts, Stop stop, long version) {
		return with(this.submitted, this.deadline, null, attempts, this.losses, this.fence + version, 0, false, 0,
				stop);
	}

	/** Return the call anew, in a row whose version begins again. */
	StoredCall requeued(Instant now, long deadline, long version) {
		return with(now, end(now, deadline), null, 0, 0, this.fence + version, 0, false, 0, null);
	}

	/** Return the dead letter whose key another call has. */
	StoredCall taken() {
		Stop before = stop(null);
		String story = String.valueOf(before.story());
		return with(this.submitted, this.deadline, null, this.attempts, this.losses, this.fence, 0, false, 0, new Stop(
				before.reason(), before.failure(), before.message(), story.endsWith(TAKEN) ? story : story + TAKEN));
	}

	boolean isSame(StoredCall other) {
		return this.id.equals(other.id) && this.fence == other.fence
				&& Objects.equals(this.unreadable, other.unreadable);
	}

	String label() {
		return (this.key != null) ? this.id + " (key " + this.key + ")" : this.id;
	}

	String instance() {
		return (this.key != null) ? this.key : this.id;
	}

	/** The last failure, its shortened message, and why the call stopped if it has. */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record Stop(@Nullable String reason, @Nullable String failure, @Nullable String message, @Nullable String story) {

		Stop because(StopReason reason, String story) {
			return new Stop(reason.name(), this.failure, this.message, story);
		}

	}

}
