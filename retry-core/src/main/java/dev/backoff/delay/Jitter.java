package dev.backoff.delay;

import java.io.Serial;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * How chance spreads a capped delay. A jitter never leaves [0, cap] and never clamps:
 * where ±20 % would cross the cap, it draws from the part of the range below the cap.
 * <p>
 * For a capped delay d and one draw U, uniform in [0, 1): <pre>
 * text           delay                                     mean                 least
 * none           d                                         d                    d
 * full           U·d                                       d/2                  0
 * equal          d/2 + U·d/2                               3d/4                 d/2
 * 20% (j = 0.2)  uniform in [(1-j)·d, min(cap, (1+j)·d)]   d, less at the cap   (1-j)·d
 * decorrelated   uniform in [base, min(cap, 3·previous)]   2, 3.5, 5.75 × base  base
 * beta           d·X, X of the distribution Beta(2, 2)     d/2                  0
 * beta 0.3..0.7  the same, X confined to (0.3, 0.7)        d/2                  0.3·d
 * </pre>
 * <p>
 * The published form of decorrelated jitter, {@code min(cap, U(base, 3·previous))}, puts
 * a quarter to a half of late delays exactly on the cap; this one draws below the cap.
 * Beta jitter within a part of the delay guarantees a least wait and spreads a herd
 * <em>less</em> than full jitter, not more. Immutable and thread-safe.
 *
 * @since 0.1
 */
public sealed interface Jitter permits NamedJitter, ProportionalJitter, BetaJitter {

	/**
	 * {@return the jitter that leaves the delay as it is, so that a herd stays together}
	 */
	static Jitter none() {
		return NamedJitter.NONE;
	}

	/**
	 * {@return the default jitter, which spreads over the whole delay}
	 */
	static Jitter full() {
		return NamedJitter.FULL;
	}

	/**
	 * {@return the jitter that waits half the delay and spreads over the other half}
	 */
	static Jitter equal() {
		return NamedJitter.EQUAL;
	}

	/**
	 * Spread by a share of the delay to both sides.
	 * @param share above 0 and at most 1, for instance 0.2 for ±20 %
	 * @return proportional jitter
	 * @throws IllegalArgumentException if the share is outside its range
	 */
	static Jitter proportional(double share) {
		return new ProportionalJitter(share);
	}

	/**
	 * Spread between the base and three times the previous delay. It replaces the growth
	 * of the shape, and needs a cap of at least twice the base.
	 * @return decorrelated jitter
	 */
	static Jitter decorrelated() {
		return NamedJitter.DECORRELATED;
	}

	/**
	 * Spread over a part of the delay by the distribution Beta(2, 2), which is rarely
	 * near the ends of (0, 1).
	 * @param from the least part of the delay, 0 or more
	 * @param to the greatest part of the delay, above {@code from}, at most 1
	 * @return beta jitter over the part
	 * @throws IllegalArgumentException if the part is empty or outside [0, 1]
	 */
	static Jitter beta(double from, double to) {
		return new BetaJitter(from, to);
	}

	/**
	 * Read the text of a jitter.
	 * @param text one of the texts in the table of {@link Jitter}, in any case
	 * @return the jitter
	 * @throws IllegalArgumentException if the text is not one of them; the message states
	 * the rule and then what to write instead
	 */
	static Jitter parse(String text) {
		String word = text.toLowerCase(Locale.ROOT).strip();
		for (Jitter named : NamedJitter.values()) {
			if (named.toString().equals(word)) {
				return named;
			}
		}
		Jitter jitter = ProportionalJitter.parse(word);
		jitter = (jitter != null) ? jitter : BetaJitter.parse(word);
		if (jitter == null) {
			String names = Arrays.stream(NamedJitter.values()).map(Jitter::toString).collect(Collectors.joining(", "));
			throw new UnreadableException(text, "must be " + names + ", beta, beta a..b or a percentage", advice(word));
		}
		return jitter;
	}

	private static String advice(String word) {
		try {
			double number = Double.parseDouble(word);
			return "Write it as a percentage: " + proportional((number > 1) ? number / 100 : number) + ".";
		}
		catch (IllegalArgumentException ex) {
			return "Write full for the default, or a percentage such as 20%.";
		}
	}

	/**
	 * Return the delay for one draw.
	 * @param delay the capped delay of the shape, in nanoseconds; with decorrelated
	 * jitter, three times the previous delay, or the cap if that is less
	 * @param base the base, in nanoseconds
	 * @param cap the cap, in nanoseconds, {@link Long#MAX_VALUE} for none
	 * @param u a draw, uniform in [0, 1), or 1 for the bound that draws stay below
	 * @return nanoseconds, from 0 to the cap
	 */
	long apply(long delay, long base, long cap, double u);

	/**
	 * Return the mean over all draws.
	 * @param delay the capped delay of the shape, in nanoseconds; with decorrelated
	 * jitter, three times the previous delay, or the cap if that is less
	 * @param base the base, in nanoseconds
	 * @param cap the cap, in nanoseconds
	 * @return nanoseconds
	 */
	default double mean(long delay, long base, long cap) {
		// right for every jitter whose density is symmetric between its ends
		double least = apply(delay, base, cap, 0);
		double greatest = apply(delay, base, cap, 1);
		return least + (greatest - least) / 2;
	}

	/**
	 * Return whether the delay grows from the previous delay instead of along the shape.
	 * @return true only for {@link #decorrelated()}
	 */
	default boolean replacesShape() {
		return this == NamedJitter.DECORRELATED;
	}

	/** Thrown by {@link #parse} for a text that is no jitter. */
	final class UnreadableException extends IllegalArgumentException {

		@Serial
		private static final long serialVersionUID = 1L;

		private final transient String rule;

		private final transient String fix;

		UnreadableException(String text, String rule, String fix) {
			super("Invalid jitter (" + text + "): " + rule + ". " + fix);
			this.rule = rule;
			this.fix = fix;
		}

		/**
		 * {@return the rule that the text breaks: "must be ..."}
		 */
		public String rule() {
			return this.rule;
		}

		/**
		 * {@return what to write instead, a sentence}
		 */
		public String fix() {
			return this.fix;
		}

	}

}
