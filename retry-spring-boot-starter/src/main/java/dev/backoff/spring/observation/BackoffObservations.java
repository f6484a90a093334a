package dev.backoff.spring.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * What calls and attempts are observed as, by their default conventions: names, keys and
 * events. This is API.
 *
 * @since 0.1
 */
public enum BackoffObservations implements ObservationDocumentation {

	/** A call, from its beginning to its end: attempts, waits and recovery. */
	CALL {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultBackoffCallConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return CallTags.values();
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return CallNumbers.values();
		}

		@Override
		public Observation.Event[] getEvents() {
			return CallEvents.values();
		}

	},

	/** One attempt of a call, as a child of the call. */
	ATTEMPT {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultBackoffAttemptConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return AttemptTags.values();
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return AttemptNumbers.values();
		}

	};

	@Override
	public String getPrefix() {
		return "backoff.";
	}

	/** The words of a call: attributes of its span, and tags of its timer. */
	public enum CallTags implements KeyName {

		/** Name of the policy. */
		POLICY("backoff.policy"),

		/** Method, or label of a programmatic call. */
		METHOD("backoff.method"),

		/** Why the call stopped: a stop reason in lower case, none while it runs. */
		STOP("backoff.stop"),

		/** What the recovery did: none, done or failed. */
		RECOVER("backoff.recover");

		private final String key;

		CallTags(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

	/** The numbers of a call: attributes of its span only. */
	public enum CallNumbers implements KeyName {

		/** How many attempts were made. */
		ATTEMPTS("backoff.attempts"),

		/** Sum of the delays that were chosen, in milliseconds. */
		DELAY_TOTAL("backoff.delay_total_ms");

		private final String key;

		CallNumbers(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

	/** The moments of a call: events of its span, counted beside its timer. */
	public enum CallEvents implements Observation.Event {

		/** The call begins to wait: how long, and who chose the delay. */
		WAIT {

			@Override
			public String getName() {
				return "wait";
			}

			@Override
			public String getContextualName() {
				return "wait %s (%s)";
			}

		}

	}

	/** The words of an attempt: attributes of its span, and tags of its timer. */
	public enum AttemptTags implements KeyName {

		/** Name of the policy. */
		POLICY("backoff.policy"),

		/** Method, or label of a programmatic call. */
		METHOD("backoff.method"),

		/** How the attempt ended, in lower case, none while it runs. */
		OUTCOME("backoff.outcome");

		private final String key;

		AttemptTags(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

	/** The numbers of an attempt: attributes of its span only. */
	public enum AttemptNumbers implements KeyName {

		/** Which retry it is: 1 at the second attempt, absent at the first. */
		RESEND_COUNT("backoff.resend_count"),

		/** Delay chosen before it, in milliseconds; absent where there was none. */
		DELAY("backoff.delay_ms");

		private final String key;

		AttemptNumbers(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

		@Override
		public boolean isRequired() {
			return false;
		}

	}

}
