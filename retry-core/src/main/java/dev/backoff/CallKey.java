package dev.backoff;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import org.jspecify.annotations.Nullable;

/**
 * The idempotency key of one call. It is made at its first use: most calls use none, and
 * a key costs a secure random number. Thread-safe, since an attempt may hand its
 * {@link Attempt} to other threads.
 */
final class CallKey {

	private static final AtomicReferenceFieldUpdater<CallKey, @Nullable String> VALUE = AtomicReferenceFieldUpdater
		.newUpdater(CallKey.class, String.class, "value");

	private volatile @Nullable String value;

	/* Whether the running attempt has asked for it. */
	private volatile boolean asked;

	CallKey() {
	}

	/** Take a key that was made before. */
	CallKey(String known) {
		this.value = known;
	}

	String get() {
		this.asked = true;
		String key = this.value;
		if (key != null) {
			return key;
		}
		String made = UUID.randomUUID().toString();
		return VALUE.compareAndSet(this, null, made) ? made : get();
	}

	/** Return the key of a part of the call, which is the same for the same part. */
	String derive(CharSequence part) {
		return UUID.nameUUIDFromBytes((get() + part).getBytes(StandardCharsets.UTF_8)).toString();
	}

	@Nullable String ifMade() {
		return this.value;
	}

	/** Return the key if the running attempt has asked for it, or null. */
	@Nullable String ifAsked() {
		return this.asked ? this.value : null;
	}

	void attemptBegins() {
		this.asked = false;
	}

}
