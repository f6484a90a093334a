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
	 * @param options the options, which override the annotation
	 * @param call makes exactly one call of a durable method, on this thread
	 * @return the stored call
	 * @throws IllegalArgumentException if the key or an argument cannot be stored
	 * @throws IllegalStateException if no durable method is called, or more than one
	 */
	DurableCall<?> submit(Options options, Runnable call);

	/**
	 * End a call that is no longer needed. A running attempt is not stopped, but its
	 * result is dropped. Within a transaction, the call ends at the commit.
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
	 * The options of a submission, each of which may be omitted. Immutable.
	 *
	 * @param key one line of 1 to 100 characters, or null for the annotation's key
	 * @param notBefore when the first attempt is due, or null for now
	 */
	record Options(@Nullable String key, @Nullable Instant notBefore) {

		/** The annotation's key, and a first attempt that is due now. */
		public static final Options NONE = new Options(null, null);

		/**
		 * {@return options with a key}
		 * @param key replaces the annotation's key
		 */
		public static Options key(String key) {
			return new Options(key, null);
		}

		/**
		 * {@return options with a time}
		 * @param time when the first attempt is due; now if the time has passed
		 */
		public static Options notBefore(Instant time) {
			return new Options(null, time);
		}

	}

}
