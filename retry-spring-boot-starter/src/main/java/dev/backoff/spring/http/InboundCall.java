package dev.backoff.spring.http;

import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import io.micrometer.common.KeyValue;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import dev.backoff.RetryContext;
import dev.backoff.spring.configuration.HttpSettings;

/**
 * The attempt to which an inbound request belongs, by its headers. Their values are not
 * trusted: one that is not a plain number of limited length counts as absent, and a
 * deadline can only become shorter. The number is 0 and the deadline null if absent.
 */
record InboundCall(int number, @Nullable RetryContext deadline) {

	/** The attempt's number in logs and observations. */
	static final String ATTEMPT = "backoff.attempt";

	private static final Pattern ATTEMPT_DIGITS = Pattern.compile("[0-9]{1,9}");

	private static final Pattern MILLIS_DIGITS = Pattern.compile("[0-9]{1,15}");

	static InboundCall read(HttpSettings settings, UnaryOperator<@Nullable String> header) {
		long attempt = number(header.apply(settings.attemptHeader()), ATTEMPT_DIGITS);
		long millis = number(header.apply(settings.deadlineHeader()), MILLIS_DIGITS);
		return new InboundCall((int) Math.max(0, attempt),
				(millis >= 0) ? RetryContext.ofDeadline(Duration.ofMillis(millis)) : null);
	}

	private static long number(@Nullable String text, Pattern digits) {
		return (text != null && digits.matcher(text).matches()) ? Long.parseLong(text) : -1;
	}

	/** Return the number of the attempt for logs, or null. */
	@Nullable String attempt() {
		return (this.number > 0) ? Integer.toString(this.number) : null;
	}

	/** Return the number of the attempt for observations, one of a few values. */
	KeyValue keyValue() {
		return KeyValue.of(ATTEMPT,
				(this.number == 0) ? "none" : (this.number < 5) ? Integer.toString(this.number) : "5+");
	}

	/** Apply deadline and number to this thread until closed. */
	RetryContext.Scope open() {
		RetryContext.Scope scope = (this.deadline != null) ? this.deadline.open() : () -> {
		};
		String before = MDC.get(ATTEMPT);
		restore((this.number > 0) ? attempt() : before);
		return () -> {
			scope.close();
			InboundCall.restore(before);
		};
	}

	static void restore(@Nullable String attempt) {
		if (attempt != null) {
			MDC.put(ATTEMPT, attempt);
		}
		else {
			MDC.remove(ATTEMPT);
		}
	}

	/** Carry the number into the logs of other threads; found as a service. */
	public static final class AttemptNumberAccessor implements ThreadLocalAccessor<String> {

		@Override
		public Object key() {
			return ATTEMPT;
		}

		@Override
		public @Nullable String getValue() {
			return MDC.get(ATTEMPT);
		}

		@Override
		public void setValue(String value) {
			InboundCall.restore(value);
		}

		@Override
		public void setValue() {
			InboundCall.restore(null);
		}

	}

}
