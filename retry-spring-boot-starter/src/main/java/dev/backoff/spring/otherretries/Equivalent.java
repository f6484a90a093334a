package dev.backoff.spring.otherretries;

import java.time.Duration;
import java.util.List;

import dev.backoff.time.DurationText;

/**
 * Write the policy that does what another library's retries do. Times are milliseconds.
 */
final class Equivalent {

	private final StringBuilder text = new StringBuilder(200);

	private String jitter = "none";

	private String note = "theirs is none; full spreads a herd";

	Equivalent(String name, double attempts, double base, double multiplier, double cap) {
		boolean counted = attempts <= Integer.MAX_VALUE;
		this.text.append("backoff:\n  policies:\n    \"[").append(name).append("]\":\n");
		line("max-attempts", counted ? Integer.toString((int) attempts) : "unlimited");
		if (multiplier == 1 || base == 0) {
			line("shape", "fixed");
			line("base", duration(base));
			return;
		}
		line("base", duration(base));
		line("multiplier", (multiplier % 1 == 0) ? Long.toString((long) multiplier) : Double.toString(multiplier));
		// the longest delay that is reached, since our built-in cap may be below it
		double longest = counted ? base * Math.pow(multiplier, Math.max(0, attempts - 2)) : cap;
		line("cap", duration(Math.max(base, Math.min(cap, longest))));
	}

	/** Set another jitter than none, and say how theirs differs. */
	Equivalent jitter(String jitter, String note) {
		this.jitter = jitter;
		this.note = note;
		return this;
	}

	Equivalent deadline(double deadline) {
		if (deadline > 0) {
			line("deadline", duration(deadline));
		}
		return this;
	}

	Equivalent exceptions(List<String> retryOn, List<String> abortOn) {
		if (!retryOn.isEmpty()) {
			line("retry-on", retryOn.toString());
		}
		if (!abortOn.isEmpty()) {
			line("abort-on", abortOn.toString());
		}
		if (retryOn.isEmpty()) {
			this.text.append("      # theirs repeats all exceptions, ours none that is a programming error\n");
		}
		return this;
	}

	String text() {
		return this.text + "      jitter: " + this.jitter + "  # " + this.note + "\n";
	}

	private void line(String key, String value) {
		this.text.append("      ").append(key).append(": ").append(value).append('\n');
	}

	/* The longest time is about 292 years. */
	private static String duration(double millis) {
		return DurationText.exact(Duration.ofNanos((long) Math.min(millis * 1e6, Long.MAX_VALUE)));
	}

}
