package dev.backoff.spring.failure;

import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.springframework.http.HttpHeaders;

import dev.backoff.Attempt;
import dev.backoff.pace.QuotaReading;

/**
 * What the headers of an HTTP response tell about quotas, each with a limit, what remains
 * and the time to its reset.
 *
 * <pre>
 * OpenAI, Groq, Azure   x-ratelimit-limit-requests          bucket   6m0s, 12ms, or seconds
 * Anthropic             anthropic-ratelimit-requests-limit  bucket   an instant of RFC 3339
 * IETF                  RateLimit, with RateLimit-Policy    window   seconds
 * GitHub and others     X-RateLimit-Limit                   window   epoch seconds, or seconds up to an hour
 * </pre>
 *
 * An instant is compared with the {@code Date} of the response, as for hints. A response
 * of a cache tells nothing, and neither does a number that cannot be read, a limit of
 * zero, or a reset after more than a year. Thread-safe.
 *
 * @param clock for servers that send no {@code Date}
 * @since 0.1
 */
public record QuotaHeaders(Clock clock) {

	private static final Duration LONGEST = Duration.ofDays(365);

	private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

	/* Names become tags. */
	private static final Pattern NAME = Pattern.compile("[ -~]{1,64}");

	/**
	 * Tell the pace of an attempt, if it has one, what a response says.
	 * @param attempt the attempt that sent the request
	 * @param headers those of the response
	 */
	public void tell(Attempt attempt, HttpHeaders headers) {
		List<QuotaReading> readings = read(headers);
		if (!readings.isEmpty()) {
			attempt.quota(readings);
		}
	}

	/** Return at most eight readings with different names. */
	List<QuotaReading> read(HttpHeaders headers) {
		Map<String, QuotaReading> told = new LinkedHashMap<>();
		if (!ServerHints.isFromCache(headers)) {
			for (String name : List.of("requests", "tokens", "input-tokens", "output-tokens")) {
				add(told, name, headers, "x-ratelimit-%-" + name, LONGEST, false);
				add(told, name, headers, "anthropic-ratelimit-" + name + "-%", LONGEST, false);
			}
			addField(told, headers);
			add(told, "requests", headers, "X-RateLimit-%", Duration.ofHours(1), true);
		}
		return List.copyOf(told.values());
	}

	private void add(Map<String, QuotaReading> told, String name, HttpHeaders headers, String header, Duration longest,
			boolean window) {
		String limit = ServerHints.text(headers, header.replace("%", "limit"));
		if (!limit.isEmpty()) {
			add(told,
					new QuotaReading(name, number(limit),
							number(ServerHints.text(headers, header.replace("%", "remaining"))),
							reset(ServerHints.text(headers, header.replace("%", "reset")), headers, longest),
							name.equals("requests"), window));
		}
	}

	/* The limit stands in the policy of the same name. */
	private void addField(Map<String, QuotaReading> told, HttpHeaders headers) {
		List<Map<String, String>> policies = RateLimitField.policies(ServerHints.field(headers, "RateLimit-Policy"));
		for (Map<String, String> rest : RateLimitField.policies(ServerHints.field(headers, "RateLimit"))) {
			String name = rest.getOrDefault(RateLimitField.NAME, "");
			policies.stream().filter((policy) -> name.equals(policy.get(RateLimitField.NAME))).forEach((policy) -> {
				String unit = policy.getOrDefault("qu", "\"requests\"");
				Duration reset = ServerWait.seconds(rest.getOrDefault("t", ""));
				if (reset != null && !unit.equals("\"concurrent-requests\"")) {
					add(told, new QuotaReading(name.replaceAll("^\"|\"$", ""), number(policy.getOrDefault("q", "")),
							number(rest.getOrDefault("r", "")), reset, unit.equals("\"requests\""), true));
				}
			});
		}
	}

	private static void add(Map<String, QuotaReading> told, QuotaReading reading) {
		if (reading.limit() > 0 && reading.remaining() >= 0 && !reading.reset().isNegative()
				&& reading.reset().compareTo(LONGEST) <= 0 && told.size() < 8
				&& NAME.matcher(reading.name()).matches()) {
			told.putIfAbsent(reading.name(), reading);
		}
	}

	private static long number(String text) {
		return NUMBER.matcher(text).matches() ? Long.parseLong(text) : -1;
	}

	/* What cannot be read, or is a longer time in seconds, counts as endless. */
	private Duration reset(String text, HttpHeaders headers, Duration longest) {
		Duration seconds = ServerWait.seconds(text);
		try {
			if (seconds != null && seconds.toSeconds() <= 1_000_000_000) {
				return (seconds.compareTo(longest) <= 0) ? seconds : ServerWait.LONGEST;
			}
			if (seconds == null && !text.contains("T")) {
				return Duration.parse("PT" + text.replace("ms", "s")).dividedBy(text.endsWith("ms") ? 1000 : 1);
			}
			return new ServerHints(this.clock).until((seconds != null) ? Instant.ofEpochSecond(seconds.toSeconds())
					: DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(text, Instant::from), headers);
		}
		catch (DateTimeException ex) {
			return ServerWait.LONGEST;
		}
	}

}
