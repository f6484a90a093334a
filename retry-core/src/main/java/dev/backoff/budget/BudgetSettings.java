package dev.backoff.budget;

/**
 * The numbers of a retry budget. Immutable and thread-safe.
 * <p>
 * Precision is a millionth of a token.
 *
 * @param tokens what the bucket holds when it is full, which it is at the start: 0, or
 * from 1 to {@value #MOST}
 * @param perSuccess what a successful call puts back, from 0 to {@value #MOST}
 * @param perSecond what each second puts back, from 0 to {@value #MOST_PER_SECOND}
 * @since 0.1
 */
public record BudgetSettings(double tokens, double perSuccess, double perSecond) {

	/** The greatest number of tokens: {@value}. */
	public static final int MOST = 1_000_000;

	/** The greatest number of tokens a second: {@value}. */
	public static final int MOST_PER_SECOND = 10_000;

	/**
	 * The numbers unless set: 50 tokens, 0.1 for each success, 0.1 each second.
	 */
	public static final BudgetSettings DEFAULTS = new BudgetSettings(50, 0.1, 0.1);

	/**
	 * Check the numbers.
	 * @param tokens what the bucket holds when it is full
	 * @param perSuccess what a successful call puts back
	 * @param perSecond what each second puts back
	 * @throws IllegalArgumentException if a number is out of its range
	 */
	public BudgetSettings {
		check("tokens", tokens, MOST);
		check("perSuccess", perSuccess, MOST);
		check("perSecond", perSecond, MOST_PER_SECOND);
		if (tokens > 0 && tokens < 1) {
			throw new IllegalArgumentException(
					"Invalid tokens (" + tokens + "): must not be below 1, or no retry could ever be paid.");
		}
	}

	private static void check(String name, double value, int most) {
		if (!(value >= 0 && value <= most)) {
			throw new IllegalArgumentException(
					"Invalid " + name + " (" + value + "): must be a number from 0 to " + most + ".");
		}
	}

}
