package dev.backoff.spring.failure;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The {@code RateLimit} response field (draft-ietf-httpapi-ratelimit-headers): a list of
 * policies, each with the rest of its quota ({@code r}) and the seconds until the quota
 * is full again ({@code t}), for instance {@code "minute";r=0;t=12, "day";r=41;t=7200}.
 * <p>
 * A call passes when no policy is used up, so the longest {@code t} among those with
 * {@code r=0} counts. As with every structured field (RFC 9651), one malformed member
 * makes the whole field void. A number that is too large for the format counts as long.
 */
final class RateLimitField {

	/* A string, a byte sequence, a boolean, or a token or number. */
	private static final String ITEM = "(?:\"(?:[^\"\\\\]|\\\\.)*+\"|:[^:]*+:|\\?[01]"
			+ "|[\\w!#$%&'*+.^`|~/-][\\w!#$%&'*+.^`|~:/-]*+)";

	private static final Pattern PARAMETER = Pattern.compile("; *+(?<key>[\\w.*-]++)(?:=(?<value>" + ITEM + "))?+");

	private static final Pattern POLICY = Pattern
		.compile("[ \\t]*+" + ITEM + "(?<parameters>(?:; *+[\\w.*-]++(?:=" + ITEM + ")?+)*+)[ \\t]*+(?<end>,|\\z)");

	private RateLimitField() {
	}

	/** Return how long until no policy is used up, or null if unknown. */
	static @Nullable Duration wait(String text) {
		Duration longest = null;
		Matcher policy = POLICY.matcher(text);
		for (int at = 0; policy.region(at, text.length()).lookingAt(); at = policy.end()) {
			Duration wait = waitOf(policy.group("parameters"));
			if (wait != null && (longest == null || wait.compareTo(longest) > 0)) {
				longest = wait;
			}
			if (policy.group("end").isEmpty()) {
				return longest;
			}
		}
		return null;
	}

	private static @Nullable Duration waitOf(String parameters) {
		Duration remaining = null;
		Duration wait = null;
		for (Matcher each = PARAMETER.matcher(parameters); each.find();) {
			String value = each.group("value");
			Duration number = (value != null) ? ServerWait.seconds(value) : null;
			remaining = each.group("key").equals("r") ? number : remaining;
			wait = each.group("key").equals("t") ? number : wait;
		}
		return Duration.ZERO.equals(remaining) ? wait : null;
	}

}
