package dev.backoff;

import java.net.URI;
import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.SharedAttempt.AttemptReports;
import dev.backoff.SharedAttempt.UnsafeRequest;
import dev.backoff.failure.Idempotency;
import dev.backoff.time.Nanos;

/**
 * A request that is sent within a call, with the facts about the call that the request
 * may tell its server. It is meant for integrations of clients; applications use
 * {@link Attempt}. Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class OutboundRequest {

	private final int attempt;

	private final long timeLeft;

	private final @Nullable Supplier<String> idempotencyKey;

	private OutboundRequest(int attempt, long timeLeft, @Nullable Supplier<String> idempotencyKey) {
		this.attempt = attempt;
		this.timeLeft = timeLeft;
		this.idempotencyKey = idempotencyKey;
	}

	/**
	 * Note that the attempt on this thread is about to send a request. Call this method
	 * once for each request, because each request has its own key.
	 * @param method the HTTP method, in upper case
	 * @param uri the address, of which the stop report names host and port; or null
	 * @return the facts to send, or null if no call and no deadline applies
	 */
	public static @Nullable OutboundRequest begin(String method, @Nullable URI uri) {
		CallState call = CallStack.ofThread().running();
		if (call == null) {
			return null;
		}
		call.requested = uri;
		AttemptContext.report(call, UnsafeRequest.of(method, uri), AttemptReports::sends);
		Supplier<String> key = (call.isAttempt() && AttemptContext.isByKey(call)) ? call.context().nextRequestKey()
				: null;
		return new OutboundRequest(call.isAttempt() ? call.attempt : 0, call.attemptTimeLeft(), key);
	}

	/**
	 * {@return whether a request with this method may be sent again without harm: whether
	 * HTTP or WebDAV define the method as idempotent}
	 * @param method the HTTP method, in upper case
	 */
	public static boolean isRepeatable(String method) {
		return UnsafeRequest.of(method, null) == null;
	}

	/**
	 * {@return the number of the attempt; 1 for the first, 0 if the request belongs to no
	 * attempt}
	 */
	public int attempt() {
		return this.attempt;
	}

	/**
	 * Return the time that the attempt had left when the request began: until its timeout
	 * or the deadline, whichever is sooner.
	 * @return zero or more, or null without a timeout and a deadline
	 */
	public @Nullable Duration timeLeft() {
		return (this.timeLeft == Nanos.UNLIMITED) ? null : Duration.ofNanos(Math.max(0, this.timeLeft));
	}

	/**
	 * Return the key by which the server recognises the request when it is repeated. A
	 * request keeps its key at each attempt of this call and of an enclosing call. Each
	 * request of an attempt and each call has its own key. A call that asks for neither
	 * this key nor {@link Attempt#idempotencyKey()} counts as a call that sends no key.
	 * @return 36 characters, or null unless the policy, or one around it whose attempts
	 * repeat the request, is {@link Idempotency#BY_KEY}
	 */
	public @Nullable String idempotencyKey() {
		return (this.idempotencyKey != null) ? this.idempotencyKey.get() : null;
	}

}
