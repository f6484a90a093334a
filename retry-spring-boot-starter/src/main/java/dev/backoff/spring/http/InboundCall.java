package dev.backoff.spring.http;

import java.time.Duration;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import dev.backoff.RetryContext;
import dev.backoff.spring.policy.HttpSettings;

/**
 * What a request that arrived tells about the attempt it belongs to. The headers come
 * from anywhere: what is no plain number of a sane length counts as absent, and a
 * deadline can only be made shorter. Immutable and thread-safe.
 */
final class InboundCall {

	/** What the attempt's number is called in logs and observations. */
	static final String ATTEMPT = "backoff.attempt";

	/** The value of an observation where no attempt is told. */
	private static final String NONE = "none";

	private static final int MOST_ATTEMPT_DIGITS = 9;

	private static final int MOST_MILLIS_DIGITS = 15;

	private static final int FIRST_OF_THE_REST = 5;

	private final int attempt;

	private final @Nullable RetryContext deadline;

	private InboundCall(int attempt, @Nullable RetryContext deadline) {
		this.attempt = attempt;
		this.deadline = deadline;
	}

	static InboundCall read(HttpSettings settings, UnaryOperator<@Nullable String> header) {
		long attempt = number(header.apply(settings.attemptHeader()), MOST_ATTEMPT_DIGITS);
		long millis = number(header.apply(settings.deadlineHeader()), MOST_MILLIS_DIGITS);
		return new InboundCall((int) Math.max(0, attempt),
				(millis >= 0) ? RetryContext.ofDeadline(Duration.ofMillis(millis)) : null);
	}

	/* Digits of other scripts are none; neither is a sign. */
	private static long number(@Nullable String text, int mostDigits) {
		if (text == null || text.isEmpty() || text.length() > mostDigits) {
			return -1;
		}
		long number = 0;
		for (int i = 0; i < text.length(); i++) {
			char digit = text.charAt(i);
			if (digit < '0' || digit > '9') {
				return -1;
			}
			number = number * 10 + (digit - '0');
		}
		return number;
	}

	/** Return what calls have to respect, or null. */
	@Nullable RetryContext deadline() {
		return this.deadline;
	}

	/** Return the number of the attempt as logs have it, or null. */
	@Nullable String attempt() {
		return (this.attempt > 0) ? Integer.toString(this.attempt) : null;
	}

	/** Return the number of the attempt as one of a few values. */
	String attemptTag() {
		return (this.attempt == 0) ? NONE
				: (this.attempt < FIRST_OF_THE_REST) ? Integer.toString(this.attempt) : FIRST_OF_THE_REST + "+";
	}

	/** Make this thread respect it until closed. */
	RetryContext.Scope open() {
		RetryContext.Scope scope = (this.deadline != null) ? this.deadline.open() : () -> {
		};
		String before = MDC.get(ATTEMPT);
		String number = attempt();
		if (number != null) {
			MDC.put(ATTEMPT, number);
		}
		return () -> {
			scope.close();
			if (number != null) {
				restore(before);
			}
		};
	}

	/** Put the number of an attempt into the logs of this thread, or take it away. */
	static void restore(@Nullable String attempt) {
		if (attempt != null) {
			MDC.put(ATTEMPT, attempt);
		}
		else {
			MDC.remove(ATTEMPT);
		}
	}

}
