package dev.backoff.simulator;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;

/** The service answers 429 with {@code Retry-After}. */
final class ThrottledException extends Exception {

	private static final long serialVersionUID = 1L;

	private final transient Duration wait;

	ThrottledException(Duration wait) {
		super("429", null, false, false);
		this.wait = wait;
	}

	static @Nullable FailureClassification classify(Throwable failure) {
		return (failure instanceof ThrottledException throttled)
				? FailureClassification.throttled(RetryCause.HTTP_429).withHint(throttled.wait) : null;
	}

}
