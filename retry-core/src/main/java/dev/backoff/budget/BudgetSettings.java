package dev.backoff.budget;

/**
 * The numbers of a retry budget. Immutable and thread-safe.
 * <p>
 * Precision is a millionth of a token.
 *
 * @param tokens what the bucket holds when it is full, which it is at the start: from 0
 * to {@value #MOST}
 * @param perSuccess what a successful call puts back, from 0 to {@value #MOST}
 * @param perSecond what each second puts back, from 0 to {@value #MOST_PER_SECOND}
 * @param transientCost what a retry after a failure that may pass takes, from 0 to
 * {@value #MOST}
 * @param throttledCost what a retry after a refusal because of load takes, from 0 to
 * {@value #MOST}
 * @param refund whether a retry that succeeds gives back what it took, in place of what a
 * successful call puts back
 * @since 0.1
 */
public record BudgetSettings(double tokens, double perSuccess, double perSecond, double transientCost,
		double throttledCost, boolean refund) {

	/** The greatest number of tokens: {@value}. */
	public static final int MOST = 1_000_000;

	/** The greatest number of tokens a second: {@value}. */
	public static final int MOST_PER_SECOND = 10_000;

	/**
	 * The numbers unless set: 50 tokens, 0.1 for each success, 0.1 each second, 1 for
	 * each retry, no refund.
	 */
	public static final BudgetSettings DEFAULTS = new BudgetSettings(50, 0.1, 0.1, 1, 1, false);

	/**
	 * Check the numbers.
	 * @param tokens what the bucket holds when it is full
	 * @param perSuccess what a successful call puts back
	 * @param perSecond what each second puts back
	 * @param transientCost what a retry after a failure that may pass takes
	 * @param throttledCost what a retry after a refusal because of load takes
	 * @param refund whether a retry that succeeds gives back what it took
	 * @throws IllegalArgumentException if a number is out of its range, or a cost is
	 * above the tokens, so that no retry could ever be paid
	 */
	public BudgetSettings {
		check("tokens", tokens, MOST);
		check("perSuccess", perSuccess, MOST);
		check("perSecond", perSecond, MOST_PER_SECOND);
		check("transientCost", transientCost, MOST);
		check("throttledCost", throttledCost, MOST);
		if (tokens > 0 && Math.max(transientCost, throttledCost) > tokens) {
			throw new IllegalArgumentException("Invalid cost (" + Math.max(transientCost, throttledCost)
					+ "): must not be above the tokens (" + tokens + "), or no retry could ever be paid.");
		}
	}

	private static void check(String name, double value, int most) {
		if (!(value >= 0 && value <= most)) {
			throw new IllegalArgumentException(
					"Invalid " + name + " (" + value + "): must be a number from 0 to " + most + ".");
		}
	}

}
