package dev.backoff.spring.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.docs.MeterDocumentation;

/**
 * The meters and their tags: the single source of their names, which are API.
 * <p>
 * All meters of one name have the same tag keys, and every tag's values are bounded. Base
 * units are those of the registry for timers. A unit would become part of the name in
 * Prometheus, so no other meter has one that its name does not already say.
 *
 * @since 0.1
 */
public enum BackoffMeters implements MeterDocumentation {

	/**
	 * Every attempt's duration.
	 */
	ATTEMPTS("backoff.attempts", Meter.Type.TIMER, "", "Duration of each attempt, the first of a call included",
			Key.POLICY, Key.METHOD, Key.ATTEMPT, Key.OUTCOME),

	/**
	 * Whole calls, waits included and recovery not: exact count and total time, as a full
	 * timer with a maximum only on request. The reasons an alert asks for are there at
	 * zero from the start, so that the first failure is an increase.
	 */
	CALLS("backoff.calls", Meter.Type.TIMER, "", "Duration of whole calls, waits included, by why they ended",
			Key.POLICY, Key.METHOD, Key.STOP),

	/**
	 * Retries made.
	 */
	RETRIES("backoff.retries", Meter.Type.COUNTER, "retries", "Attempts after the first of a call, by what caused them",
			Key.POLICY, Key.METHOD, Key.CAUSE),

	/**
	 * Recoveries run.
	 */
	RECOVERED("backoff.recovered", Meter.Type.COUNTER, "",
			"Recoveries run after calls that stopped, done if they returned, failed if they threw", Key.POLICY,
			Key.METHOD, Key.OUTCOME),

	/**
	 * Waits, as chosen; an interrupted one was shorter.
	 */
	DELAY("backoff.delay", Meter.Type.TIMER, "", "Waits chosen before retries, by who chose them", Key.POLICY,
			Key.SOURCE),

	/**
	 * Calls waiting now.
	 */
	WAITING("backoff.waiting", Meter.Type.GAUGE, "", "Calls that wait for their next attempt now", Key.POLICY),

	/**
	 * What a budget holds.
	 */
	BUDGET_TOKENS("backoff.budget.tokens", Meter.Type.GAUGE, "", "Tokens that a budget of retries holds now",
			Key.BUDGET),

	/**
	 * Retries a budget refused.
	 */
	BUDGET_REFUSED("backoff.budget.refused", Meter.Type.COUNTER, "", "Retries that a budget refused", Key.BUDGET),

	/**
	 * A breaker's state: one gauge per state, of which one is 1.
	 */
	BREAKER_STATE("backoff.breaker.state", Meter.Type.GAUGE, "", "Whether a circuit breaker is in this state now",
			Key.BREAKER, Key.STATE),

	/**
	 * Attempts a breaker refused. Starts again at zero when the breaker is reset.
	 */
	BREAKER_REJECTED("backoff.breaker.rejected", Meter.Type.COUNTER, "", "Attempts that a circuit breaker refused",
			Key.BREAKER),

	/**
	 * A breaker's moves. Those it makes by itself are there at zero from the start.
	 */
	BREAKER_TRANSITIONS("backoff.breaker.transitions", Meter.Type.COUNTER, "",
			"Moves of a circuit breaker from one state to another", Key.BREAKER, Key.FROM, Key.TO),

	/**
	 * Whether a policy's delays are raised.
	 */
	DEGRADED("backoff.degraded", Meter.Type.GAUGE, "", "Whether delays are raised because many attempts fail",
			Key.POLICY),

	/**
	 * What an operator overrides, by policy.
	 */
	OVERRIDES("backoff.overrides", Meter.Type.GAUGE, "", "Values of a policy that an operator overrides now",
			Key.POLICY),

	/**
	 * Changes of the configuration while the application runs.
	 */
	REFRESH("backoff.refresh", Meter.Type.COUNTER, "", "Changes of the configuration since the start, by what happened",
			Key.OUTCOME);

	private final String name;

	private final Meter.Type type;

	private final String baseUnit;

	private final String description;

	@SuppressWarnings("ImmutableEnumChecker") // never handed out, only copies
	private final Key[] keys;

	BackoffMeters(String name, Meter.Type type, String baseUnit, String description, Key... keys) {
		this.name = name;
		this.type = type;
		this.baseUnit = baseUnit;
		this.description = description;
		this.keys = keys;
	}

	@Override
	public String getName() {
		return this.name;
	}

	@Override
	public Meter.Type getType() {
		return this.type;
	}

	@Override
	public String getBaseUnit() {
		return this.baseUnit;
	}

	/**
	 * {@return what the meter says of itself; one sentence without a full stop}
	 */
	public String getDescription() {
		return this.description;
	}

	@Override
	public KeyName[] getKeyNames() {
		return this.keys.clone();
	}

	/** Return the tags of one meter, its values in the order of the keys. */
	Tags tags(String... values) {
		if (values.length != this.keys.length) {
			throw new IllegalArgumentException(
					"Invalid values (" + values.length + "): must be as many as keys (" + this.keys.length + ").");
		}
		Tag[] tags = new Tag[values.length];
		for (int i = 0; i < values.length; i++) {
			tags[i] = Tag.of(this.keys[i].asString(), values[i]);
		}
		return Tags.of(tags);
	}

	/**
	 * The tags.
	 */
	public enum Key implements KeyName {

		/** The policy's name. */
		POLICY("policy"),

		/** The method, or the label of a programmatic call. */
		METHOD("method"),

		/** Which attempt of its call it was: 1, 2, 3, 4 or 5+. */
		ATTEMPT("attempt"),

		/**
		 * How an attempt ended, an {@link dev.backoff.event.AttemptOutcome}; how a
		 * recovery ended, {@code done} or {@code failed}; what happened to a change of
		 * the configuration, a
		 * {@link dev.backoff.spring.live.ConfigurationListener.Outcome}.
		 */
		OUTCOME("outcome"),

		/** Why a call ended, a {@link dev.backoff.event.StopReason}. */
		STOP("stop"),

		/** What made a retry necessary, a {@link dev.backoff.failure.RetryCause}. */
		CAUSE("cause"),

		/** Who chose a delay, a {@link dev.backoff.event.DelaySource}. */
		SOURCE("source"),

		/** The budget's name. */
		BUDGET("budget"),

		/** The breaker's name. */
		BREAKER("breaker"),

		/** A breaker's state, a {@link dev.backoff.breaker.BreakerState}. */
		STATE("state"),

		/** The state that a breaker left. */
		FROM("from"),

		/** The state that a breaker entered. */
		TO("to");

		private final String key;

		Key(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

}
