package dev.backoff.spring.observation;

import java.util.Locale;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.docs.MeterDocumentation;

/**
 * The names, descriptions and tags of all meters. They are API.
 * <p>
 * All meters of one name have the same tag keys, and every tag has a bounded number of
 * values. Meters have no base unit, because it would become part of the name in
 * Prometheus; timers have that of their registry.
 */
enum BackoffMeters implements MeterDocumentation {

	ATTEMPTS("backoff.attempts", Meter.Type.TIMER, "Duration of each attempt, the first of a call included", Key.POLICY,
			Key.METHOD, Key.ATTEMPT, Key.OUTCOME),

	/** Those of the reasons that alerts ask for exist at zero from the start. */
	CALLS("backoff.calls", Meter.Type.COUNTER, "Whole calls, by stop reason", Key.POLICY, Key.METHOD, Key.STOP),

	/** Without the recovery; only on request. */
	CALLS_DURATION("backoff.calls.duration", Meter.Type.TIMER, "Duration of whole calls, waits included", Key.POLICY,
			Key.METHOD, Key.STOP),

	RETRIES("backoff.retries", Meter.Type.COUNTER, "Attempts after the first of a call, by cause", Key.POLICY,
			Key.METHOD, Key.CAUSE),

	RESCUED("backoff.rescued", Meter.Type.COUNTER, "Calls that retries rescued, by cause of the first failure",
			Key.POLICY, Key.METHOD, Key.CAUSE),

	RECOVERED("backoff.recovered", Meter.Type.COUNTER,
			"Recoveries run after calls that stopped: done if they returned, rethrown if they threw the call's failure "
					+ "or what it caused, failed if they threw another",
			Key.POLICY, Key.METHOD, Key.OUTCOME),

	/** An interrupted wait was shorter. */
	DELAY("backoff.delay", Meter.Type.TIMER, "Waits chosen before retries, by source", Key.POLICY, Key.SOURCE),

	WAITING("backoff.waiting", Meter.Type.GAUGE, "Calls that wait for their next attempt now", Key.POLICY),

	CONCURRENCY_ACTIVE("backoff.concurrency.active", Meter.Type.GAUGE,
			"Attempts of a policy that hold a permit of its concurrency now", Key.POLICY),

	CONCURRENCY_WAITING("backoff.concurrency.waiting", Meter.Type.GAUGE, "Calls that wait for a permit now",
			Key.POLICY),

	CONCURRENCY_WAIT("backoff.concurrency.wait", Meter.Type.TIMER, "Waits for a permit, of the calls that waited",
			Key.POLICY),

	BUDGET_TOKENS("backoff.budget.tokens", Meter.Type.GAUGE, "Tokens that a budget of retries holds now", Key.BUDGET),

	BUDGET_REFUSED("backoff.budget.refused", Meter.Type.COUNTER, "Retries refused for want of a token", Key.BUDGET),

	BUDGET_STRIKES("backoff.budget.strikes", Meter.Type.GAUGE, "Strikes now; more than one bars", Key.BUDGET),

	BUDGET_BARRED("backoff.budget.barred", Meter.Type.COUNTER, "Retries after timeouts that strikes bar", Key.BUDGET),

	/** One gauge per state, of which one is 1 unless the breaker has keys. */
	BREAKER_STATE("backoff.breaker.state", Meter.Type.GAUGE,
			"Whether a circuit breaker is in this state now, with how many of its keys", Key.BREAKER, Key.STATE),

	BREAKER_REJECTED("backoff.breaker.rejected", Meter.Type.COUNTER,
			"Attempts that a circuit breaker rejected, not calls that stop after a failed attempt because it is open",
			Key.BREAKER),

	/** No scrape misses that it has not closed. */
	BREAKER_REOPENED("backoff.breaker.reopened", Meter.Type.GAUGE,
			"How often a circuit breaker opened since it was last closed", Key.BREAKER),

	/** Those that need no operator exist at zero from the start. */
	BREAKER_TRANSITIONS("backoff.breaker.transitions", Meter.Type.COUNTER,
			"Moves of a circuit breaker from one state to another", Key.BREAKER, Key.FROM, Key.TO),

	KEYS("backoff.keys", Meter.Type.GAUGE, "Keys that have a state of their own now", Key.KIND, Key.NAME),

	KEYS_EVICTED("backoff.keys.evicted", Meter.Type.COUNTER,
			"Keys that lost their state: idle if unused for ten minutes, capacity if others needed room", Key.KIND,
			Key.NAME, Key.REASON),

	KEYS_OVERFLOW("backoff.keys.overflow", Meter.Type.COUNTER,
			"Calls that shared a state because there was no room for their key", Key.KIND, Key.NAME),

	PACE_WAITING("backoff.pace.waiting", Meter.Type.GAUGE, "Calls that wait for their turn now", Key.PACE),

	PACE_WAIT("backoff.pace.wait", Meter.Type.TIMER, "Waits for a turn, of the calls that waited", Key.PACE),

	PACE_HOLDS("backoff.pace.holds", Meter.Type.COUNTER, "Holds that a server's hint began, by key if there are keys",
			Key.PACE),

	/** From the first response that tells the quota. */
	PACE_REMAINING("backoff.pace.remaining", Meter.Type.GAUGE,
			"Share of a quota that is left, estimated, the least of all keys", Key.PACE, Key.QUOTA),

	OVERRIDES("backoff.overrides", Meter.Type.GAUGE, "Values of a policy that an operator overrides now", Key.POLICY),

	REFRESH("backoff.refresh", Meter.Type.COUNTER, "Changes of the configuration since the start, by outcome",
			Key.OUTCOME);

	private final String name;

	private final Meter.Type type;

	private final String description;

	@SuppressWarnings("ImmutableEnumChecker") // never handed out, only copies
	private final Key[] keys;

	BackoffMeters(String name, Meter.Type type, String description, Key... keys) {
		this.name = name;
		this.type = type;
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

	String getDescription() {
		return this.description;
	}

	@Override
	public KeyName[] getKeyNames() {
		return this.keys.clone();
	}

	/** Return the tags with the given values, which are in the order of the keys. */
	Tags tags(String... values) {
		Tag[] tags = new Tag[values.length];
		for (int i = 0; i < values.length; i++) {
			tags[i] = Tag.of(this.keys[i].asString(), values[i]);
		}
		return Tags.of(tags);
	}

	/** The tags, whose keys are the names in lower case. */
	public enum Key implements KeyName {

		POLICY,

		/** The method, or the label of a programmatic call. */
		METHOD,

		/** The number of the attempt within its call: 1, 2, 3, 4 or 5+. */
		ATTEMPT,

		/** How an attempt or a recovery ended, or how the configuration changed. */
		OUTCOME,

		/** A {@link dev.backoff.event.StopReason}. */
		STOP,

		/** A {@link dev.backoff.failure.RetryCause}. */
		CAUSE,

		/** A {@link dev.backoff.event.DelaySource}. */
		SOURCE,

		BUDGET,

		BREAKER,

		PACE,

		/** What the server calls the quota; at most eight of a pace. */
		QUOTA,

		/** A {@link dev.backoff.breaker.BreakerState}, as are those of a transition. */
		STATE,

		FROM,

		TO,

		/** What is divided by keys: {@code breaker} or {@code pace}. */
		KIND,

		/** The name of what is divided by keys; never a key. */
		NAME,

		REASON;

		@Override
		public String asString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
