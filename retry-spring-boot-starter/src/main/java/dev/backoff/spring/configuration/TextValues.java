package dev.backoff.spring.configuration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.boot.convert.DurationStyle;

import dev.backoff.delay.Jitter;
import dev.backoff.time.DurationText;

/**
 * Read the values of annotations and configuration. A text that cannot be read throws
 * {@link InvalidTextException}.
 */
final class TextValues {

	private static final Pattern BARE_NUMBER = Pattern.compile("\\+?0*[1-9]\\d*");

	private static final Pattern DIGITS = Pattern.compile("\\+?\\d{1,9}");

	private static final Pattern SIMPLE_DURATION = Pattern.compile("(?i)[+-]?\\d+(?:[nuµm]?s|m|h|d)");

	private static final Pattern DECIMAL_DURATION = Pattern.compile("(\\d*\\.\\d+)(ms|s|m|h|d)");

	private static final Pattern LEVEL = Pattern.compile("(\\S+?)(?:\\s*[x×*]\\s*|\\s+)(\\d+)");

	/* What people write in place of a comma. */
	private static final Pattern SEPARATOR = Pattern.compile("(?<!\\s)(?:\\s*+[;；，、]\\s*+|\\s++(?=\\d++[a-zA-Zµ]))");

	static final Pattern PERCENT = Pattern.compile("([+-]?\\d+(?:\\.\\d+)?)\\s*%");

	/* A token of RFC 9110. */
	private static final Pattern HEADER = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}");

	private static final Pattern HOST = Pattern
		.compile("(?:\\*|(?:\\*\\.)?[a-z0-9_-]+(?:\\.[a-z0-9_-]+)*|\\[[0-9a-f:.]+])(?::(\\d{1,5}))?");

	private static final Pattern URL = Pattern.compile("[a-z]+://([^/]*)(?:/.*)?");

	private static final Pattern TABLE = Pattern.compile("(?:[A-Za-z_]\\w{0,62}\\.)?[A-Za-z_]\\w{0,62}");

	private static final Pattern SIZE = Pattern.compile("0*([1-9]\\d{0,2})\\s*(B|KB|MB)", Pattern.CASE_INSENSITIVE);

	static final String DURATION_FIX = "Write a number and a unit, such as 250ms, 2s or 5m.";

	/** The greatest number of attempts, levels and the like. */
	static final int MOST = 1_000_000;

	private TextValues() {
	}

	/* A bare number would be milliseconds to Boot, and is often meant as seconds. */
	static Duration duration(String text) {
		if (BARE_NUMBER.matcher(text).matches()) {
			throw new InvalidTextException("must have a unit", "Write " + text + "ms or " + text + "s.");
		}
		Duration duration;
		try {
			// Boot has no micro sign
			duration = DurationStyle.detectAndParse(text.replace('µ', 'u'));
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			throw new InvalidTextException("must be a duration", durationFix(text));
		}
		if (duration.isNegative()) {
			throw new InvalidTextException("must not be negative", DURATION_FIX);
		}
		return duration;
	}

	static Duration positiveDuration(String text) {
		Duration duration = duration(text);
		if (duration.isZero()) {
			throw new InvalidTextException("must be above zero", DURATION_FIX);
		}
		return duration;
	}

	/** Read a duration above zero, or none, which is returned as zero. */
	static Duration durationOrNone(String text) {
		if (text.equalsIgnoreCase("none")) {
			return Duration.ZERO;
		}
		try {
			return positiveDuration(text);
		}
		catch (InvalidTextException ex) {
			throw ex.fix().equals(DURATION_FIX)
					? new InvalidTextException(ex.rule(), "Write a duration such as 5s, or none.") : ex;
		}
	}

	private static String durationFix(String text) {
		String closed = text.replaceAll("\\s", "");
		if (!closed.equals(text) && SIMPLE_DURATION.matcher(closed).matches()) {
			return "Write it without blanks: " + closed + ".";
		}
		Matcher decimal = DECIMAL_DURATION.matcher(closed.toLowerCase(Locale.ROOT));
		if (decimal.matches()) {
			double nanos = Double.parseDouble(decimal.group(1)) * duration("1" + decimal.group(2)).toNanos();
			return "Write it in a smaller unit: " + DurationText.exact(Math.round(nanos)) + ".";
		}
		return DURATION_FIX;
	}

	/** Read a number from 1 to the given one; return 0 if the text is anything else. */
	static int count(String text, int most) {
		// Java would read the digits of other scripts too
		int number = DIGITS.matcher(text).matches() ? Integer.parseInt(text) : 0;
		return (number <= most) ? number : 0;
	}

	static Jitter jitter(String text) {
		try {
			return Jitter.parse(text);
		}
		catch (Jitter.UnreadableException ex) {
			throw new InvalidTextException(ex.rule(), ex.fix());
		}
	}

	/** Read the levels of a ladder, each a duration with an optional number of times. */
	static List<Duration> ladder(List<String> texts) {
		if (texts.stream().allMatch(String::isBlank)) {
			throw new InvalidTextException("must have at least one level",
					"Write the delays, such as 1s x5, 10s, 30s.");
		}
		List<Duration> levels = new ArrayList<>();
		for (String text : texts) {
			if (text.isBlank()) {
				throw new InvalidTextException("has an empty level", "Write a delay in its place, or remove it.");
			}
			List<Duration> more = levels(text.strip());
			if (more.size() > MOST - levels.size()) {
				throw new InvalidTextException("must not have more than " + MOST + " levels",
						"Give fewer levels; the last one repeats.");
			}
			levels.addAll(more);
		}
		return levels;
	}

	private static List<Duration> levels(String text) {
		Matcher repeated = LEVEL.matcher(text);
		String problem;
		try {
			if (!repeated.matches()) {
				return List.of(duration(text));
			}
			int times = count(repeated.group(2), MOST);
			if (times > 0) {
				return Collections.nCopies(times, duration(repeated.group(1)));
			}
			problem = "repeats less than once or too often";
		}
		catch (InvalidTextException ex) {
			problem = ex.rule();
		}
		String separated = SEPARATOR.matcher(text).replaceAll(", ");
		throw new InvalidTextException("has the level '" + text + "', which " + problem,
				!separated.equals(text) ? "Separate levels by commas: " + separated + "."
						: "Write a level as a duration with an optional number of times, such as 10s or 1s x5.");
	}

	static boolean flag(String text) {
		return switch (text.toLowerCase(Locale.ROOT)) {
			case "true", "yes", "on" -> true;
			case "false", "no", "off" -> false;
			default -> throw new InvalidTextException("must be true or false", "Write true or false.");
		};
	}

	static String headerName(String text) {
		if (!HEADER.matcher(text).matches()) {
			throw new InvalidTextException("must be the name of a header",
					"Write letters, digits and hyphens, such as " + HttpSettings.ATTEMPT + ".");
		}
		return text;
	}

	/** Read a host, or what stands for many, with an optional port. */
	static String hostPattern(String text) {
		String pattern = text.toLowerCase(Locale.ROOT);
		Matcher url = URL.matcher(pattern);
		if (url.matches() && HOST.matcher(url.group(1)).matches()) {
			throw new InvalidTextException("must be a host, not a URL", "Write " + url.group(1) + ".");
		}
		Matcher host = HOST.matcher(pattern);
		if (!host.matches()) {
			throw new InvalidTextException("must be a host, *.domain or *, with an optional port",
					"Write a host such as orders.example.com, *.example.com or localhost:8080.");
		}
		if (host.group(1) != null && Integer.parseInt(host.group(1)) > 65_535) {
			throw new InvalidTextException("must have a port of at most 65535", "Write a port from 0 to 65535.");
		}
		return pattern;
	}

	/** Read the name of a table, with or without its schema. */
	static String tableName(String text) {
		if (!TABLE.matcher(text).matches()) {
			throw new InvalidTextException("must be the name of a table", "Write letters, digits and underscores.");
		}
		return text;
	}

	/** Read a size in bytes, kilobytes or megabytes; return bytes. */
	static int size(String text) {
		Matcher size = SIZE.matcher(text);
		if (!size.matches()) {
			throw new InvalidTextException("must be a size from 1 B to 999 MB", "Write a size such as 64KB or 1MB.");
		}
		return Integer
			.parseInt(size.group(1)) << (10 * "BKM".indexOf(size.group(2).toUpperCase(Locale.ROOT).charAt(0)));
	}

}
