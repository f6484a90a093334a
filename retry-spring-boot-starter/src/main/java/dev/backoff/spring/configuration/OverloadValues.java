package dev.backoff.spring.configuration;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.backoff.failure.Idempotency;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.window.OutcomeWindow.WindowLength;

/**
 * Read numbers, shares, windows, idempotency and words. A text that cannot be read throws
 * {@link InvalidTextException}.
 */
final class OverloadValues {

	private static final Pattern NUMBER = Pattern.compile("[+-]?(?:\\d++(?:\\.\\d*+)?|\\.\\d++)(?:[eE][+-]?\\d++)?");

	private static final Pattern CALLS = Pattern.compile("([+-]?\\d+)\\s*calls?", Pattern.CASE_INSENSITIVE);

	private OverloadValues() {
	}

	static double growth(String text, String something) {
		double growth = plainNumber(text);
		if (growth >= 1 && !Double.isInfinite(growth)) {
			return growth;
		}
		throw new InvalidTextException("must be a finite number of at least 1",
				"Write a number such as 2 or 1.5; 1 keeps the " + something + " constant.");
	}

	/** Read a number from 0 to the given one. */
	static double number(String text, int most) {
		double number = plainNumber(text);
		if (number >= 0 && number <= most) {
			return number;
		}
		Matcher percent = TextValues.PERCENT.matcher(text);
		throw new InvalidTextException("must be a number from 0 to " + most,
				percent.matches() && !text.startsWith("-")
						? "Write it as a plain number: " + shifted(percent.group(1), -2) + "."
						: "Write a number such as 1 or 0.1.");
	}

	/** Read what a bucket holds: no share of anything. */
	static double tokens(String text, int most) {
		try {
			return number(text, most);
		}
		catch (InvalidTextException ex) {
			throw new InvalidTextException(ex.rule(), "Write a number such as 50.");
		}
	}

	/* Not what Java reads besides, such as 0x1p3, 1d or NaN. */
	private static double plainNumber(String text) {
		return NUMBER.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
	}

	/* Exact, which a multiplication by a power of ten is not. */
	private static String shifted(String number, int places) {
		return new BigDecimal(number).movePointRight(places).stripTrailingZeros().toPlainString();
	}

	/** Read a whole number of 1 or more. */
	static int wholeNumber(String text) {
		return wholeNumber(text, 1, "", "Write 1 or more.");
	}

	/** Read a number of attempts, the first included. */
	static int attempts(String text) {
		return text.equalsIgnoreCase("unlimited") ? RetryPolicy.UNLIMITED_ATTEMPTS
				: wholeNumber(text, 1, ", or unlimited", "Write 1 or more, or unlimited; 1 means no retry.");
	}

	/** Read how many attempts run at once. */
	static int permits(String text) {
		return text.equalsIgnoreCase("none") ? RetryPolicy.UNLIMITED_CONCURRENCY
				: wholeNumber(text, 1, ", or none", "Write 1 or more, or none for no limit.");
	}

	/** Read how many attempts may wait. */
	static int waiting(String text) {
		return text.equalsIgnoreCase("unlimited") ? RetryPolicy.UNLIMITED_CONCURRENCY
				: wholeNumber(text, 0, ", or unlimited", "Write 0 to refuse at once, a number, or unlimited.");
	}

	private static int wholeNumber(String text, int least, String otherwise, String fix) {
		int number = TextValues.count(text, TextValues.MOST);
		if (number == 0 && (least > 0 || !text.equals("0"))) {
			throw new InvalidTextException(
					"must be a whole number from " + least + " to " + TextValues.MOST + otherwise, fix);
		}
		return number;
	}

	/** Read a percentage as a share above 0 and at most 1. */
	static double share(String text) {
		Matcher percent = TextValues.PERCENT.matcher(text);
		if (percent.matches()) {
			double share = Double.parseDouble(percent.group(1)) / 100;
			if (share > 0 && share <= 1) {
				return share;
			}
		}
		double number = percent.matches() ? Double.NaN : plainNumber(text);
		String fix = "Write a percentage such as 50%.";
		if (number > 0 && number <= 100) {
			fix = "Write it as a percentage: " + shifted(text, (number <= 1) ? 2 : 0) + "%.";
		}
		throw new InvalidTextException("must be a percentage above 0% and at most 100%", fix);
	}

	/** Read how far back a window looks: a duration, or a number of calls. */
	static WindowLength window(String text) {
		Matcher calls = CALLS.matcher(text);
		String rule = "must be a duration or a number of calls";
		String fix = "Write 30s for a time, or 100 calls for a number of calls.";
		if (text.matches("[+-]?\\d+")) {
			throw new InvalidTextException(rule, text.matches("0*[1-9]\\d{0,5}")
					? "Write " + text + "s for a time, or " + text + " calls for a number of calls." : fix);
		}
		if (!calls.matches()) {
			try {
				return WindowLength.of(TextValues.positiveDuration(text));
			}
			catch (InvalidTextException ex) {
				throw new InvalidTextException(ex.rule().equals("must be a duration") ? rule : ex.rule(),
						ex.fix().equals(TextValues.DURATION_FIX) ? fix : ex.fix());
			}
		}
		int number = TextValues.count(calls.group(1), WindowLength.MOST_CALLS);
		if (number == 0) {
			throw new InvalidTextException("must be from 1 to " + WindowLength.MOST_CALLS + " calls",
					"Write a number such as 100 calls.");
		}
		return WindowLength.ofCalls(number);
	}

	/** Read whether work that was applied may be applied again. */
	static Idempotency idempotency(String text) {
		try {
			return switch (Name.of(text).letters()) {
				case "bykey" -> Idempotency.BY_KEY;
				case "bymethod" -> Idempotency.BY_METHOD;
				default -> TextValues.flag(text) ? Idempotency.YES : Idempotency.NO;
			};
		}
		catch (InvalidTextException ex) {
			throw new InvalidTextException("must be by-method, true, false or by-key",
					"Write by-method, true, false or by-key; yes and no stand for true and false.");
		}
	}

	/** Return the reader of one of some words, whatever its case and its separators. */
	static <E extends Enum<E>> Function<String, E> oneOf(Class<E> type) {
		return (text) -> {
			Name wanted = Name.of(text);
			for (E constant : type.getEnumConstants()) {
				if (wanted.is(constant.name())) {
					return constant;
				}
			}
			List<String> words = Arrays.stream(type.getEnumConstants())
				.map((constant) -> constant.name().toLowerCase(Locale.ROOT).replace('_', '-'))
				.toList();
			String nearest = Nearest.of(text, words);
			throw new InvalidTextException("must be one of " + String.join(", ", words),
					(nearest != null) ? "Write " + nearest + "." : "Write one of these words.");
		};
	}

}
