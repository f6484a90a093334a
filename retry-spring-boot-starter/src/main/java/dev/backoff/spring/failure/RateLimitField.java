package dev.backoff.spring.failure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

	/** The key of a policy's name, which is no key of a parameter. */
	static final String NAME = "";

	/* A string, a byte sequence, a boolean, or a token or number. */
	private static final String ITEM = "(?:\"(?:[^\"\\\\]|\\\\.)*+\"|:[^:]*+:|\\?[01]"
			+ "|[\\w!#$%&'*+.^`|~/-][\\w!#$%&'*+.^`|~:/-]*+)";

	private static final Pattern PARAMETER = Pattern.compile("; *+(?<key>[\\w.*-]++)(?:=(?<value>" + ITEM + "))?+");

	private static final Pattern POLICY = Pattern.compile(
			"[ \\t]*+(?<name>" + ITEM + ")(?<parameters>(?:; *+[\\w.*-]++(?:=" + ITEM + ")?+)*+)[ \\t]*+(?<end>,|\\z)");

	private RateLimitField() {
	}

	/** Return how long until no policy is used up, or null if unknown. */
	static @Nullable Duration wait(String text) {
		Duration longest = null;
		for (Map<String, String> policy : policies(text)) {
			Duration wait = Duration.ZERO.equals(ServerWait.seconds(policy.getOrDefault("r", "")))
					? ServerWait.seconds(policy.getOrDefault("t", "")) : null;
			longest = (wait != null && (longest == null || wait.compareTo(longest) > 0)) ? wait : longest;
		}
		return longest;
	}

	/** Return name and parameters of each policy, as they are written. */
	static List<Map<String, String>> policies(String text) {
		List<Map<String, String>> policies = new ArrayList<>();
		Matcher policy = POLICY.matcher(text);
		for (int at = 0; policy.region(at, text.length()).lookingAt(); at = policy.end()) {
			Map<String, String> parameters = new HashMap<>(Map.of(NAME, policy.group("name")));
			for (Matcher each = PARAMETER.matcher(policy.group("parameters")); each.find();) {
				String value = each.group("value");
				parameters.put(each.group("key"), (value != null) ? value : "");
			}
			policies.add(parameters);
			if (policy.group("end").isEmpty()) {
				return policies;
			}
		}
		return List.of();
	}

}
