package dev.backoff.durable;

import java.time.Instant;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Submit durable calls with options, end them and look at them. Implementations are
 * thread-safe.
 *
 * @since 0.1
 */
public interface DurableCalls {

	/**
	 * Submit a call with options.
	 * @param options take the place of what the annotation says
	 * @param call makes exactly one call of a durable method, on this thread
	 * @return the stored call
	 * @throws IllegalArgumentException if the key or an argument cannot be stored
	 * @throws IllegalStateException if no durable method is called, or more than one
	 */
	DurableCall<?> submit(Options options, Runnable call);

	/**
	 * End a call, since what it waits for has come; a running attempt is not stopped, and
	 * its result is dropped. Within a transaction this is a part of it.
	 * @param policy the name of the policy
	 * @param key the key of the call, or the id of a call without a key
	 * @return whether there was such a call
	 */
	boolean end(String policy, String key);

	/**
	 * Look at a call.
	 * @param policy the name of the policy
	 * @param key the key of the call; the id of a call without a key or of a dead letter
	 * @return the call, if there is one
	 */
	Optional<DurableState> find(String policy, String key);

	/**
	 * Options of a submission, of which each may be left out. Immutable.
	 *
	 * @param key the key, 1 to 100 characters, or null for that of the annotation
	 * @param notBefore when the first attempt is due, or null for now
	 */
	record Options(@Nullable String key, @Nullable Instant notBefore) {

		/** What the annotation says, and now. */
		public static final Options NONE = new Options(null, null);

		/**
		 * {@return options with a key}
		 * @param key takes the place of that of the annotation
		 */
		public static Options key(String key) {
			return new Options(key, null);
		}

		/**
		 * {@return options with a time}
		 * @param time when the first attempt is due; now if it has passed
		 */
		public static Options notBefore(Instant time) {
			return new Options(null, time);
		}

	}

}
