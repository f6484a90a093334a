package dev.backoff.spring.observation;

import java.util.Locale;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** The names, keys and events of the observations. They are API. */
enum BackoffObservations implements ObservationDocumentation {

	/** A call, from its beginning to its end: attempts, waits and recovery. */
	CALL {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return BackoffCallConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return new KeyName[] { KeyNames.POLICY, KeyNames.METHOD, KeyNames.STOP, KeyNames.RECOVER };
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return new KeyName[] { KeyNames.ATTEMPTS, KeyNames.DELAY_TOTAL_MS, KeyNames.HOST };
		}

		@Override
		public Observation.Event[] getEvents() {
			return new Observation.Event[] { WAIT };
		}

	},

	/** One attempt of a call, as a child of the call. */
	ATTEMPT {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return BackoffAttemptConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return new KeyName[] { KeyNames.POLICY, KeyNames.METHOD, KeyNames.OUTCOME };
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return new KeyName[] { KeyNames.RESEND_COUNT, KeyNames.DELAY_MS };
		}

	};

	/** The call begins to wait: the delay and its source. */
	static final Observation.Event WAIT = Observation.Event.of("wait", "wait %s (%s)");

	/**
	 * The keys: words are tags of timers and attributes of spans, numbers of spans only.
	 */
	enum KeyNames implements KeyName {

		/** Word: the name of the policy. */
		POLICY,

		/** Word: the method, or the label of a programmatic call. */
		METHOD,

		/** Word: the stop reason of the call in lower case, none while it runs. */
		STOP,

		/** Word: the result of the recovery, none, done or failed. */
		RECOVER,

		/** Word: the outcome of the attempt in lower case, none while it runs. */
		OUTCOME,

		/** Number: the attempts of the call. */
		ATTEMPTS,

		/** Number: the sum of the chosen delays. */
		DELAY_TOTAL_MS,

		/** Text, of spans only: host and port of the last request; absent if unknown. */
		HOST,

		/** Number: which retry it is, 1 at the second attempt; absent at the first. */
		RESEND_COUNT,

		/** Number: the delay before the attempt; absent without a delay. */
		DELAY_MS;

		private final String key = "backoff." + name().toLowerCase(Locale.ROOT);

		@Override
		public String asString() {
			return this.key;
		}

		@Override
		public boolean isRequired() {
			return this != HOST && this != RESEND_COUNT && this != DELAY_MS;
		}

	}

}
