package dev.backoff;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * The idempotency key of one call, made when first asked for: most calls never do, and a
 * key costs a secure random number. Thread-safe, since an attempt may hand its
 * {@link Attempt} to other threads.
 */
final class CallKey {

	private final AtomicReference<@Nullable String> value = new AtomicReference<>();

	String get() {
		String key = this.value.get();
		if (key != null) {
			return key;
		}
		String made = UUID.randomUUID().toString();
		String witness = this.value.compareAndExchange(null, made);
		return (witness != null) ? witness : made;
	}

	@Nullable String ifUsed() {
		return this.value.get();
	}

}
