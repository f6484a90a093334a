package dev.backoff.spring.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The names, keys and events of the observations of calls and attempts, as the default
 * conventions set them. They are API.
 */
enum BackoffObservations implements ObservationDocumentation {

	/** A call, from its beginning to its end: attempts, waits and recovery. */
	CALL(BackoffCallConvention.class,
			new KeyNames[] { KeyNames.POLICY, KeyNames.METHOD, KeyNames.STOP, KeyNames.RECOVER },
			new KeyNames[] { KeyNames.ATTEMPTS, KeyNames.DELAY_TOTAL }, CallEvents.values()),

	/** One attempt of a call, as a child of the call. */
	ATTEMPT(BackoffAttemptConvention.class, new KeyNames[] { KeyNames.POLICY, KeyNames.METHOD, KeyNames.OUTCOME },
			new KeyNames[] { KeyNames.RESEND_COUNT, KeyNames.DELAY });

	private final Class<? extends ObservationConvention<? extends Observation.Context>> convention;

	@SuppressWarnings("ImmutableEnumChecker") // never handed out, only copies
	private final KeyNames[] words;

	@SuppressWarnings("ImmutableEnumChecker") // never handed out, only copies
	private final KeyNames[] numbers;

	@SuppressWarnings("ImmutableEnumChecker") // never handed out, only copies
	private final CallEvents[] events;

	BackoffObservations(Class<? extends ObservationConvention<? extends Observation.Context>> convention,
			KeyNames[] words, KeyNames[] numbers, CallEvents... events) {
		this.convention = convention;
		this.words = words;
		this.numbers = numbers;
		this.events = events;
	}

	@Override
	public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
		return this.convention;
	}

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return this.words.clone();
	}

	@Override
	public KeyName[] getHighCardinalityKeyNames() {
		return this.numbers.clone();
	}

	@Override
	public Observation.Event[] getEvents() {
		return this.events.clone();
	}

	@Override
	public String getPrefix() {
		return "backoff.";
	}

	/**
	 * The keys: words are tags of timers and attributes of spans, numbers of spans only.
	 */
	public enum KeyNames implements KeyName {

		/** Word: the name of the policy. */
		POLICY("backoff.policy"),

		/** Word: the method, or the label of a programmatic call. */
		METHOD("backoff.method"),

		/** Word: the stop reason of the call in lower case, none while it runs. */
		STOP("backoff.stop"),

		/** Word: the result of the recovery, none, done or failed. */
		RECOVER("backoff.recover"),

		/** Word: the outcome of the attempt in lower case, none while it runs. */
		OUTCOME("backoff.outcome"),

		/** Number: the attempts of the call. */
		ATTEMPTS("backoff.attempts"),

		/** Number: the sum of the chosen delays, in milliseconds. */
		DELAY_TOTAL("backoff.delay_total_ms"),

		/** Number: which retry it is, 1 at the second attempt; absent at the first. */
		RESEND_COUNT("backoff.resend_count"),

		/**
		 * Number: the delay before the attempt, in milliseconds; absent without a delay.
		 */
		DELAY("backoff.delay_ms");

		private final String key;

		KeyNames(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

		@Override
		public boolean isRequired() {
			return this != RESEND_COUNT && this != DELAY;
		}

	}

	/** The events of a call: events of its span, counted beside its timer. */
	public enum CallEvents implements Observation.Event {

		/** The call begins to wait: the delay and its source. */
		WAIT;

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
