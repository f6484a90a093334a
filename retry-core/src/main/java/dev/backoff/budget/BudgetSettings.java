package dev.backoff.budget;

/**
 * The numbers of a retry budget. Immutable and thread-safe.
 * <p>
 * Precision is a millionth of a token.
 *
 * @param tokens how many tokens a full bucket holds: 0, or from 1 to {@value #MOST}; it
 * is full at the start
 * @param perSuccess how many tokens a successful call puts back, from 0 to {@value #MOST}
 * @param perSecond how many tokens each second puts back, from 0 to
 * {@value #MOST_PER_SECOND}
 * @since 0.1
 */
public record BudgetSettings(double tokens, double perSuccess, double perSecond) {

	/** The greatest number of tokens: {@value}. */
	public static final int MOST = 1_000_000;

	/** The greatest number of tokens a second: {@value}. */
	public static final int MOST_PER_SECOND = 10_000;

	/* So that a process with few calls keeps its retries. */
	private static final double LEAST_SHARE = 5;

	/**
	 * The default settings: 50 tokens; each success puts back 0.1, and each second 0.1.
	 */
	public static final BudgetSettings DEFAULTS = new BudgetSettings(50, 0.1, 0.1);

	/**
	 * Check the numbers.
	 * @param tokens how many tokens a full bucket holds
	 * @param perSuccess how many tokens a successful call puts back
	 * @param perSecond how many tokens each second puts back
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

	/**
	 * Divide these settings among processes.
	 * @param processes how many; with more than one, each keeps 5 tokens at least
	 * @return the settings of one of them
	 */
	public BudgetSettings share(int processes) {
		double share = Math.max(Math.min(this.tokens, LEAST_SHARE), Math.floor(this.tokens / processes));
		return (processes == 1) ? this : new BudgetSettings(share, this.perSuccess, this.perSecond / processes);
	}

	private static void check(String name, double value, int most) {
		if (!(value >= 0 && value <= most)) {
			throw new IllegalArgumentException(
					"Invalid " + name + " (" + value + "): must be a number from 0 to " + most + ".");
		}
	}

}
