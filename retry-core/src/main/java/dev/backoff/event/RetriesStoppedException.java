package dev.backoff.event;

import java.io.Serial;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.Causes;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * The stop report of a call that stopped without success.
 * <p>
 * The caller gets the original failure, which carries this stop report as a
 * {@linkplain Throwable#getSuppressed() suppressed} exception. A {@code recover} method
 * may take the stop report as a parameter. The report has no stack trace. Its cause, if
 * any, is what interrupted the call, or the exception of a classifier, a switch, an
 * executor or a timer that made it stop. Immutable and thread-safe.
 * <p>
 * A serialized stop report keeps its message and cause only. After it is read from a
 * stream, {@link #settledSince} answers false, {@link #host} null, and the other
 * accessors throw an {@link IllegalStateException}.
 *
 * @since 0.1
 */
public final class RetriesStoppedException extends RuntimeException {

	@Serial
	private static final long serialVersionUID = 1L;

	/**
	 * One wait.
	 *
	 * @param length how long the wait was chosen to be
	 * @param source where the wait comes from
	 */
	public record Wait(Duration length, DelaySource source) {

		@Override
		public String toString() {
			String text = DurationText.rounded(Nanos.of(this.length));
			return (this.source == DelaySource.POLICY) ? text : text + " (" + this.source.tag() + ")";
		}

	}

	/**
	 * What happened in a call.
	 *
	 * @param policy the policy's name
	 * @param method the method, or the label of a programmatic call, for instance
	 * {@code OrderService.place}
	 * @param reason why the call stopped
	 * @param why the reason in words with its numbers, or null where {@code reason} says
	 * all
	 * @param attempts how many attempts were made, the first included; 0 if the first was
	 * not permitted
	 * @param maxAttempts how many attempts were allowed, the first included;
	 * {@link Integer#MAX_VALUE} for no limit
	 * @param elapsed the time from the start of the call to its stop
	 * @param waits the waits; if more than six, the first and last three
	 * @param attemptTimes how long the attempts took; if more than six, the first and
	 * last three
	 * @param waitsAbridged whether waits are left out
	 * @param attemptsAbridged whether attempts are left out
	 * @param failure what the last attempt threw, or null
	 * @param lastResult the last result that was not good enough, or null
	 * @param idempotencyKey the key that the attempts sent, or null if no attempt asked
	 * for it
	 * @param host host and port of the last attempt's last request, or null if unknown
	 */
	public record Details(String policy, String method, StopReason reason, @Nullable String why, int attempts,
			int maxAttempts, Duration elapsed, List<Wait> waits, List<Duration> attemptTimes, boolean waitsAbridged,
			boolean attemptsAbridged, @Nullable Throwable failure, @Nullable Object lastResult,
			@Nullable String idempotencyKey, @Nullable String host) {

		private String message() {
			boolean unlimited = this.maxAttempts == Integer.MAX_VALUE;
			StringBuilder text = new StringBuilder("Stopped after ").append(this.attempts);
			if (!unlimited) {
				text.append(" of ").append(this.maxAttempts);
			}
			int counted = unlimited ? this.attempts : this.maxAttempts;
			text.append((counted == 1) ? " attempt in " : " attempts in ")
				.append(DurationText.rounded(Nanos.of(this.elapsed)))
				.append(": ")
				.append(this.reason);
			if (this.why != null) {
				text.append(", ").append(this.why);
			}
			text.append(" (policy ").append(this.policy);
			append(text, "; waits ", this.waits, this.waitsAbridged, Wait::toString);
			append(text, "; attempts ", this.attemptTimes, this.attemptsAbridged,
					(time) -> DurationText.rounded(Nanos.of(time)));
			if (this.host != null) {
				text.append("; last request to ").append(this.host);
			}
			return text.append(')').toString();
		}

		private static <T> void append(StringBuilder text, String title, List<T> values, boolean abridged,
				Function<T, String> toText) {
			String separator = title;
			for (int i = 0; i < values.size(); i++) {
				text.append(separator);
				if (abridged && i == values.size() / 2) {
					text.append("…, ");
				}
				text.append(toText.apply(values.get(i)));
				separator = ", ";
			}
		}

	}

	private final transient Details details;

	private final transient long began;

	private final transient boolean settled;

	/**
	 * Create the stop report of a call.
	 * @param details what happened
	 * @param cause the exception, other than the failure, that ended the call, or null;
	 * left out if its causes include the failure, which carries this stop report
	 * @param began the ticker's reading at the start of the call
	 * @param settled whether the call has retried, or its failure must not be retried
	 */
	public RetriesStoppedException(Details details, @Nullable Throwable cause, long began, boolean settled) {
		super(details.message(),
				(cause != null && Causes.find(cause, (each) -> each == details.failure()) != null) ? null : cause,
				false, false);
		this.details = details;
		this.began = began;
		this.settled = settled;
	}

	/**
	 * Return the stop report that a failure or one of its causes carries. If several
	 * carry one, the first counts. If a recovery threw, its exception has the original
	 * failure as a suppressed exception, and that failure carries the stop report.
	 * @param failure what a retried call has thrown
	 * @return the stop report, or null if neither the failure nor one of its causes
	 * carries one
	 */
	public static @Nullable RetriesStoppedException of(Throwable failure) {
		for (Throwable candidate : Causes.of(failure)) {
			RetriesStoppedException report = carriedBy(candidate);
			if (report != null) {
				return report;
			}
		}
		return null;
	}

	private static @Nullable RetriesStoppedException carriedBy(Throwable failure) {
		RetriesStoppedException report = on(failure);
		Throwable[] suppressed = failure.getSuppressed();
		for (int i = 0; report == null && i < suppressed.length; i++) {
			report = on(suppressed[i]);
		}
		return report;
	}

	/**
	 * {@return the last stop report that a failure itself carries, or null} Its causes do
	 * not count.
	 * @param failure what a retried call has thrown
	 */
	public static @Nullable RetriesStoppedException on(Throwable failure) {
		RetriesStoppedException last = null;
		for (Throwable suppressed : failure.getSuppressed()) {
			last = (suppressed instanceof RetriesStoppedException report) ? report : last;
		}
		return last;
	}

	/**
	 * Add this stop report to a failure, unless the failure carries a stop report
	 * already: that of an inner call or, if one instance is thrown again and again, that
	 * of another call. If this call has retried and the other call has not, this stop
	 * report is added all the same. Thus a failure carries at most two. A failure that
	 * permits no suppression is not changed.
	 * @param failure what the caller gets
	 */
	public void attachTo(Throwable failure) {
		synchronized (failure) {
			RetriesStoppedException carried = on(failure);
			if (carried == null || (this.settled && !carried.settled)) {
				failure.addSuppressed(this);
			}
		}
	}

	/**
	 * {@return the policy's name}
	 */
	public String policy() {
		return details().policy();
	}

	/**
	 * {@return the method, or the label of a programmatic call; for instance {@code
	 * OrderService.place}}
	 */
	public String method() {
		return details().method();
	}

	/**
	 * {@return why the call stopped}
	 */
	public StopReason reason() {
		return details().reason();
	}

	/**
	 * {@return how many attempts were made, 0 if the first was not permitted}
	 */
	public int attempts() {
		return details().attempts();
	}

	/**
	 * {@return how many attempts were allowed, the first included;
	 * {@link Integer#MAX_VALUE} for no limit}
	 */
	public int maxAttempts() {
		return details().maxAttempts();
	}

	/**
	 * {@return the time from the start of the call to its stop}
	 */
	public Duration elapsed() {
		return details().elapsed();
	}

	/**
	 * {@return the waits between attempts; if more than six, the first and last three}
	 */
	public List<Wait> waits() {
		return details().waits();
	}

	/**
	 * {@return how long the attempts took; if more than six, the first and last three}
	 */
	public List<Duration> attemptTimes() {
		return details().attemptTimes();
	}

	/**
	 * {@return what the last attempt threw, or null if it returned a result}
	 */
	public @Nullable Throwable failure() {
		return details().failure();
	}

	/**
	 * {@return the last result that was not good enough, or null}
	 */
	public @Nullable Object lastResult() {
		return details().lastResult();
	}

	/**
	 * {@return the key that the attempts sent, for a recovery to send again, or null if
	 * no attempt asked for it}
	 */
	public @Nullable String idempotencyKey() {
		return details().idempotencyKey();
	}

	/**
	 * {@return host and port of the last attempt's last request, or null if unknown}
	 */
	public @Nullable String host() {
		return (this.details != null) ? this.details.host() : null;
	}

	/**
	 * Return whether the call began after a reading of its ticker, and has retried or
	 * must not be repeated. If so, an attempt that began at that reading does not retry
	 * the call's failure.
	 * @param reading the reading, in nanoseconds
	 * @return false for a stop report read from a stream, because its ticker was that of
	 * another process
	 */
	public boolean settledSince(long reading) {
		return this.settled && this.began - reading > 0;
	}

	private Details details() {
		if (this.details == null) {
			throw new IllegalStateException("A serialized report carries only its message and its cause.");
		}
		return this.details;
	}

}
