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
 *
 * <pre>
 * Sun, 06 Nov 1994 08:49:37 GMT
 * Sun Nov  6 08:49:37 1994
 * Sunday, 06-Nov-94 08:49:37 GMT    a year of the last 49 or the next 50
 * </pre>
 */
final class HttpDate {

	private HttpDate() {
	}

	/** Return the instant that the text names, or null if the text is no date. */
	static @Nullable Instant parse(String text, Instant now) {
		int firstYear = now.atOffset(ZoneOffset.UTC).getYear() - 49;
		DateTimeFormatter forms = new DateTimeFormatterBuilder().parseCaseInsensitive()
			.appendPattern("[EEE, d MMM uuuu HH:mm:ss 'GMT'][EEE MMM ppd HH:mm:ss uuuu][EEEE, dd-MMM-")
			.appendValueReduced(ChronoField.YEAR, 2, 2, firstYear)
			.appendPattern(" HH:mm:ss 'GMT']")
			.toFormatter(Locale.US)
			.withResolverStyle(ResolverStyle.STRICT)
			.withResolverFields(ChronoField.YEAR, ChronoField.MONTH_OF_YEAR, ChronoField.DAY_OF_MONTH,
					ChronoField.HOUR_OF_DAY, ChronoField.MINUTE_OF_HOUR, ChronoField.SECOND_OF_MINUTE);
		try {
			return LocalDateTime.parse(text, forms).toInstant(ZoneOffset.UTC);
		}
		catch (DateTimeParseException ex) {
			return null;
		}
	}

}
