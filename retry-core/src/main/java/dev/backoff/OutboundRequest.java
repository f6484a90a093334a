package dev.backoff;

import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.Idempotency;
import dev.backoff.time.Nanos;

/**
 * What a request that is about to be sent may tell its server about the call it belongs
 * to. For integrations of clients; applications ask {@link Attempt}. Immutable and
 * thread-safe.
 *
 * @since 0.1
 */
public final class OutboundRequest {

	/*
	 * By the definition of the methods themselves, repeating these may repeat an effect.
	 */
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
	 * Note that the attempt running on this thread is about to send a request. Call it
	 * once for each request: the second one of an attempt has another key.
	 * @param method the HTTP method, in upper case
	 * @return what to tell, or null if no call and no deadline concerns the request
	 */
	public static @Nullable OutboundRequest begin(String method) {
		RetryCall call = CallStack.ofThread().running();
		if (call == null) {
			return null;
		}
		if (UNSAFE.contains(method)) {
			call.unsafeRequest(method);
		}
		Supplier<String> key = (call.isAttempt() && call.idempotency() == Idempotency.BY_KEY) ? call.nextRequestKey()
				: null;
		return new OutboundRequest(call.isAttempt() ? call.attempt() : 0, call.timeLeftNow(), key);
	}

	/**
	 * {@return the number of the attempt; 1 for the first, 0 if the request belongs to no
	 * attempt}
	 */
	public int attempt() {
		return this.attempt;
	}

	/**
	 * Return the time until the attempt has to end, as it is now: until its timeout or
	 * the deadline, whichever is sooner.
	 * @return zero or more, or null without a timeout and a deadline
	 */
	public @Nullable Duration timeLeft() {
		return (this.timeLeft == Nanos.UNLIMITED) ? null : Duration.ofNanos(Math.max(0, this.timeLeft));
	}

	/**
	 * Return the key by which the server recognises the request when it is repeated: the
	 * same at each attempt, of an enclosing call too; another one for each request of an
	 * attempt and for each call. A call whose requests are not asked for it, and that
	 * does not ask {@link Attempt#idempotencyKey()} either, is taken to send none.
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
