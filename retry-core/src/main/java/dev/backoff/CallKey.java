package dev.backoff;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * The idempotency key of one call. It is made at its first use: most calls use none, and
 * a key costs a secure random number. Thread-safe, since an attempt may hand its
 * {@link Attempt} to other threads.
 */
final class CallKey {

	private final AtomicReference<@Nullable String> value = new AtomicReference<>();

	CallKey() {
	}

	/** Take a key that was made before. */
	CallKey(String known) {
		this.value.set(known);
	}

	String get() {
		String key = this.value.get();
		if (key != null) {
			return key;
		}
		String made = UUID.randomUUID().toString();
		String witness = this.value.compareAndExchange(null, made);
		return (witness != null) ? witness : made;
	}

	/** Return the key of a part of the call, which is the same for the same part. */
	String derive(CharSequence part) {
		return UUID.nameUUIDFromBytes((get() + part).getBytes(StandardCharsets.UTF_8)).toString();
	}

	@Nullable String ifUsed() {
		return this.value.get();
	}

}
