package dev.backoff.spring.live;

import java.util.Locale;

import dev.backoff.spring.policy.Overrides;

/**
 * Be told when the configuration has changed while the application runs. One that throws
 * does no harm. It is told before the next change can begin, so it must not wait for
 * another thread that makes one. Implementations are thread-safe.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface ConfigurationListener {

	/**
	 * The configuration has changed, or was refused.
	 * @param outcome what has happened
	 * @param overrides what an operator overrides now
	 */
	void changed(Outcome outcome, Overrides overrides);

	/** What has happened to the configuration. */
	enum Outcome {

		/** It was read anew and is another one. */
		APPLIED,

		/** It was read anew and cannot work: what was in effect stays so. */
		REFUSED,

		/** An operator has overridden something. */
		OVERRIDDEN,

		/** An operator has ended overrides. */
		RESET,

		/** Overrides have ended because their time was over. */
		EXPIRED,

		/** An operator has done something to a breaker, a budget or waiting calls. */
		OPERATED;

		/**
		 * {@return the value of the metric tag; the name in lower case}
		 */
		public String tag() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
