package dev.backoff.spring.policy;

import java.util.Locale;

/**
 * The keys of a budget, as a configuration writes them.
 *
 * @since 0.1
 */
public enum BudgetKey implements SectionKey {

	/** What the bucket holds when it is full. */
	TOKENS("tokens"),
	/** What a successful call puts back. */
	PER_SUCCESS("per-success"),
	/** What each second puts back. */
	PER_SECOND("per-second"),
	/** What any retry takes; stands for the two below it, and is in effect as these. */
	COST("cost"),
	/** What a retry after a failure that may pass takes. */
	COST_TRANSIENT("cost.transient"),
	/** What a retry after a refusal because of load takes. */
	COST_THROTTLED("cost.throttled"),
	/** Whether a retry that succeeds gives back what it took. */
	REFUND("refund");

	private final String key;

	BudgetKey(String key) {
		this.key = key;
	}

	/**
	 * {@return the key below the budget's name; for instance {@code per-success}}
	 */
	@Override
	public String key() {
		return this.key;
	}

}
