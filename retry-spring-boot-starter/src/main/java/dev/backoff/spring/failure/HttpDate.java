package dev.backoff.spring.failure;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The three forms of a date in HTTP (RFC 9110, section 5.6.7).
 * <p>
 * The day of the week adds nothing and is not checked against the date.
 */
final class HttpDate {

	private static final String TIME = "(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})";

	private static final String MONTH = "(?<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)";

	private static final String DAY_NAME = "(?:mon|tue|wed|thu|fri|sat|sun)";

	/** {@code Sun, 06 Nov 1994 08:49:37 GMT}. */
	private static final Pattern IMF_FIXDATE = pattern(
			DAY_NAME + ", (?<day>\\d{1,2}) " + MONTH + " (?<year>\\d{4}) " + TIME + " GMT");

	/** {@code Sunday, 06-Nov-94 08:49:37 GMT}. */
	private static final Pattern RFC_850 = pattern("(?:mon|tues|wednes|thurs|fri|satur|sun)day, (?<day>\\d{2})-" + MONTH
			+ "-(?<year>\\d{2}) " + TIME + " GMT");

	/** {@code Sun Nov  6 08:49:37 1994}. */
	private static final Pattern ASCTIME = pattern(
			DAY_NAME + " " + MONTH + " (?<day>[ \\d]\\d) " + TIME + " (?<year>\\d{4})");

	private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";

	private HttpDate() {
	}

	/** Return the instant that the text names. */
	static @Nullable Instant parse(String text, Instant now) {
		try {
			for (Pattern form : new Pattern[] { IMF_FIXDATE, ASCTIME }) {
				Matcher matcher = form.matcher(text);
				if (matcher.matches()) {
					return read(matcher, number(matcher, "year")).toInstant(ZoneOffset.UTC);
				}
			}
			Matcher matcher = RFC_850.matcher(text);
			return matcher.matches() ? readWithShortYear(matcher, now) : null;
		}
		catch (DateTimeException ex) {
			return null;
		}
	}

	/*
	 * "A timestamp that appears to be more than 50 years in the future [represents] the
	 * most recent year in the past that had the same last two digits." So the year is the
	 * last one with these digits that puts the date at most 50 years ahead.
	 */
	private static Instant readWithShortYear(Matcher matcher, Instant now) {
		LocalDateTime limit = LocalDateTime.ofInstant(now, ZoneOffset.UTC).plusYears(50);
		int year = limit.getYear() - Math.floorMod(limit.getYear() - number(matcher, "year"), 100);
		boolean ahead = year == limit.getYear() && read(matcher, 2000).withYear(year).isAfter(limit);
		return read(matcher, ahead ? year - 100 : year).toInstant(ZoneOffset.UTC);
	}

	private static LocalDateTime read(Matcher matcher, int year) {
		int second = number(matcher, "second");
		LocalDateTime date = LocalDateTime.of(year, month(matcher.group("month")), number(matcher, "day"),
				number(matcher, "hour"), number(matcher, "minute"), Math.min(second, 59));
		if (second > 60) {
			throw new DateTimeException("Invalid second (" + second + "): must not be above 60, a leap second.");
		}
		return (second == 60) ? date.plusSeconds(1) : date;
	}

	private static int month(String name) {
		return MONTHS.indexOf(name.toLowerCase(Locale.ROOT)) / 3 + 1;
	}

	private static int number(Matcher matcher, String group) {
		return Integer.parseInt(matcher.group(group).strip());
	}

	private static Pattern pattern(String regex) {
		return Pattern.compile(regex, Pattern.CASE_INSENSITIVE);
	}

}
