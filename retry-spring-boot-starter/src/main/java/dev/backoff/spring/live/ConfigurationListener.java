package dev.backoff.spring.live;

import java.util.Locale;

import dev.backoff.spring.configuration.Overrides;

/**
 * A listener of changes of the configuration while the application runs. An exception of
 * a listener is logged. The next change begins after all listeners have returned, so a
 * listener must not wait for another thread that makes a change. Implementations are
 * thread-safe.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface ConfigurationListener {

	/**
	 * Receive a change of the configuration, or its refusal.
	 * @param outcome what has happened
	 * @param overrides the live overrides now
	 */
	void changed(Outcome outcome, Overrides overrides);

	/** What has happened to the configuration. */
	enum Outcome {

		/** The configuration was read again and has changed. */
		APPLIED,

		/** The configuration was read again but cannot work, so nothing has changed. */
		REFUSED,

		/** An operator has overridden something. */
		OVERRIDDEN,

		/** An operator has ended overrides. */
		RESET,

		/** Overrides have ended because their time was over. */
		EXPIRED,

		/** An operator has acted on a breaker, a budget or waiting calls. */
		OPERATED;

		/** Return the value of the metric tag: the name in lower case. */
		public String tag() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
