package dev.backoff.simulator;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.backoff.spring.configuration.Overrides;
import dev.backoff.time.DurationText;

/**
 * What is wrong with the service. Immutable.
 *
 * @param kind what happens
 * @param time how long it lasts; zero for errors, which last for the whole horizon
 * @param share the share of attempts that fail by errors, from 0 to 1
 */
record Fault(Kind kind, Duration time, double share) {

	private static final Pattern ERRORS = Pattern.compile("errors\\s+(\\d{1,3}(?:\\.\\d+)?)\\s*%");

	private static final Pattern TIMED = Pattern.compile("(stall|outage|timeouts|throttle|slow)\\s+(\\S+)");

	static Fault parse(String text) {
		Matcher errors = ERRORS.matcher(text);
		if (errors.matches() && Double.parseDouble(errors.group(1)) <= 100) {
			return new Fault(Kind.ERRORS, Duration.ZERO, Double.parseDouble(errors.group(1)) / 100);
		}
		Matcher timed = TIMED.matcher(text);
		if (timed.matches()) {
			return new Fault(Kind.valueOf(timed.group(1).toUpperCase(Locale.ROOT)),
					Overrides.limit("time of fault", timed.group(2)), 1);
		}
		throw Scenario.refusal("fault", text,
				"must be stall, outage, timeouts, throttle or slow with a time, or errors with a share",
				"Write for instance stall 3s, outage 30s, slow 10s or errors 30%.");
	}

	/** Return what happens, to be put into a sentence. */
	@Override
	public String toString() {
		return switch (this.kind) {
			case STALL -> "a stall of ";
			case OUTAGE -> "an outage of ";
			case TIMEOUTS -> "timeouts for ";
			case THROTTLE -> "a throttling of ";
			case SLOW -> "a slowdown of ";
			case ERRORS -> "an error rate of " + Figures.percent(this.share);
		} + ((this.kind != Kind.ERRORS) ? DurationText.exact(this.time) : "");
	}

	enum Kind {

		/** Nothing is served, and the queue grows. */
		STALL,

		/** Each request is refused after the latency. */
		OUTAGE,

		/** No request is answered, and none is queued. */
		TIMEOUTS,

		/** Each request is refused after the latency, with the time left as a hint. */
		THROTTLE,

		/** Requests take ten times as long. */
		SLOW,

		/** A share of the requests fails, each by itself. */
		ERRORS

	}

}
