package dev.backoff;

import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.Idempotency;
import dev.backoff.time.Nanos;

/**
 * A request to be sent within a call, with what it may say to its server about that call.
 * For integrations of clients; applications ask {@link Attempt}. Immutable and
 * thread-safe.
 *
 * @since 0.1
 */
public final class OutboundRequest {

	/* HTTP defines these methods as not idempotent. */
	private static final Set<String> UNSAFE = Set.of("POST", "PATCH");

	private final int attempt;

	private final long timeLeft;

	private final @Nullable Supplier<String> idempotencyKey;

	private OutboundRequest(int attempt, long timeLeft, @Nullable Supplier<String> idempotencyKey) {
		this.attempt = attempt;
		this.timeLeft = timeLeft;
		this.idempotencyKey = idempotencyKey;
	}

	/**
	 * Note that the attempt on this thread is about to send a request. To be called once
	 * for each request, since each has a key of its own.
	 * @param method the HTTP method, in upper case
	 * @param uri where to, for the stop report, which names host and port; or null
	 * @return what to say, or null if no call and no deadline concerns the request
	 */
	public static @Nullable OutboundRequest begin(String method, @Nullable URI uri) {
		CallState call = CallStack.ofThread().running();
		if (call == null) {
			return null;
		}
		sent(method, call, uri);
		Supplier<String> key = (call.isAttempt() && call.settings().policy().idempotency() == Idempotency.BY_KEY)
				? call.context().nextRequestKey() : null;
		return new OutboundRequest(call.isAttempt() ? call.attempt() : 0, call.timeLeftNow(), key);
	}

	/**
	 * Note that the attempt on this thread has sent a request, where only its failure
	 * tells of it. It may be noted twice.
	 * @param method the HTTP method, in upper case
	 * @param uri tells where to; what it throws is ignored
	 */
	public static void sent(String method, Supplier<? extends @Nullable URI> uri) {
		CallState call = CallStack.ofThread().running();
		if (call != null) {
			sent(method, call, null);
			try {
				call.requested = uri.get();
			}
			catch (Throwable ex) {
				// the host is not told
			}
		}
	}

	private static void sent(String method, CallState call, @Nullable URI uri) {
		call.requested = uri;
		if (UNSAFE.contains(method)) {
			call.context().sendsUnsafe(method);
		}
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
	 * Return the key by which the server recognises the request when it is repeated. It
	 * is the same at each attempt, of an enclosing call too; each request of an attempt
	 * and each call has its own. A call that asks neither this nor
	 * {@link Attempt#idempotencyKey()} counts as one that sends no key.
	 * @return 36 characters, or null unless the policy is {@link Idempotency#BY_KEY}
	 */
	public @Nullable String idempotencyKey() {
		return (this.idempotencyKey != null) ? this.idempotencyKey.get() : null;
	}

	@Override
	public String toString() {
		return "OutboundRequest of attempt " + this.attempt;
	}

}
