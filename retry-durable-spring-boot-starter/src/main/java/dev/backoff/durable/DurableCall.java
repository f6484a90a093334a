package dev.backoff.durable;

import org.jspecify.annotations.Nullable;

/**
 * The stored call that the caller of a durable method gets. The body of the method
 * returns a {@link #result} instead, which is judged by the conditions of the policy but
 * not stored. Immutable and thread-safe.
 *
 * @param <T> the type that {@code until} and {@code retryWhen} judge
 * @since 0.1
 */
@SuppressWarnings("UnusedTypeParameter") // until and retryWhen are checked by it
public final class DurableCall<T extends @Nullable Object> {

	private final @Nullable String id;

	private final @Nullable String key;

	private final boolean created;

	private final @Nullable Object result;

	private DurableCall(@Nullable String id, @Nullable String key, boolean created, @Nullable Object result) {
		this.id = id;
		this.key = key;
		this.created = created;
		this.result = result;
	}

	/**
	 * Wrap the result of an attempt, in the body of a durable method.
	 * @param result the result that the conditions judge
	 * @param <T> its type
	 * @return the value for the body to return
	 */
	public static <T extends @Nullable Object> DurableCall<T> result(T result) {
		return new DurableCall<>(null, null, false, result);
	}

	static DurableCall<?> stored(@Nullable String id, @Nullable String key, boolean created) {
		return new DurableCall<>(id, key, created, null);
	}

	/**
	 * {@return the id of the call, which is its idempotency key; null if the call joined
	 * a stored call whose id the caller's transaction does not see}
	 */
	public @Nullable String id() {
		return this.id;
	}

	/**
	 * {@return the key of the call, or null if it has none}
	 */
	public @Nullable String key() {
		return this.key;
	}

	/**
	 * {@return whether this call was stored; false if it joined a call with the same key}
	 */
	public boolean isNew() {
		return this.created;
	}

	@Nullable Object result() {
		return this.result;
	}

	@Override
	public String toString() {
		return (this.id != null || this.key != null) ? "call " + this.id + " of key " + this.key : "a result";
	}

}
