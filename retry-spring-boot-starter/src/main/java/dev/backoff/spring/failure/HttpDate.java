package dev.backoff.spring.failure;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The three forms of a date in HTTP (RFC 9110, section 5.6.7). The day of the week is not
 * compared with the date.
 */
final class HttpDate {

	/** {@code Sun, 06 Nov 1994 08:49:37 GMT}. */
	private static final DateTimeFormatter IMF_FIXDATE = form(builder("EEE, d MMM uuuu HH:mm:ss 'GMT'"));

	/** {@code Sun Nov  6 08:49:37 1994}. */
	private static final DateTimeFormatter ASCTIME = form(builder("EEE MMM ppd HH:mm:ss uuuu"));

	private HttpDate() {
	}

	/** Return the instant that the text names, or null if the text is no date. */
	static @Nullable Instant parse(String text, Instant now) {
		LocalDateTime date = parse(text, IMF_FIXDATE);
		date = (date != null) ? date : parse(text, ASCTIME);
		date = (date != null) ? date : parseWithShortYear(text, LocalDateTime.ofInstant(now, ZoneOffset.UTC));
		return (date != null) ? date.toInstant(ZoneOffset.UTC) : null;
	}

	/*
	 * Sunday, 06-Nov-94 08:49:37 GMT: "A timestamp that appears to be more than 50 years
	 * in the future [represents] the most recent year in the past that had the same last
	 * two digits."
	 */
	private static @Nullable LocalDateTime parseWithShortYear(String text, LocalDateTime now) {
		LocalDateTime limit = now.plusYears(50);
		LocalDateTime date = parse(text,
				form(builder("EEEE, dd-MMM-").appendValueReduced(ChronoField.YEAR, 2, 2, limit.getYear() - 99)
					.appendPattern(" HH:mm:ss 'GMT'")));
		return (date != null && date.isAfter(limit)) ? date.minusYears(100) : date;
	}

	private static @Nullable LocalDateTime parse(String text, DateTimeFormatter form) {
		try {
			return LocalDateTime.parse(text, form);
		}
		catch (DateTimeParseException ex) {
			return null;
		}
	}

	private static DateTimeFormatterBuilder builder(String pattern) {
		return new DateTimeFormatterBuilder().parseCaseInsensitive().appendPattern(pattern);
	}

	private static DateTimeFormatter form(DateTimeFormatterBuilder builder) {
		return builder.toFormatter(Locale.US)
			.withResolverStyle(ResolverStyle.STRICT)
			.withResolverFields(ChronoField.YEAR, ChronoField.MONTH_OF_YEAR, ChronoField.DAY_OF_MONTH,
					ChronoField.HOUR_OF_DAY, ChronoField.MINUTE_OF_HOUR, ChronoField.SECOND_OF_MINUTE);
	}

}
