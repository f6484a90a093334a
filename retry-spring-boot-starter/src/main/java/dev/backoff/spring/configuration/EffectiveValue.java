package dev.backoff.spring.configuration;

import java.math.BigDecimal;
import java.math.MathContext;

import com.fasterxml.jackson.annotation.JsonIgnore;

/**
 * One value in effect.
 *
 * @param value the text as a configuration writes it
 * @param level how strong the value is
 * @param origin where the value comes from: {@code built in}, {@code application.yml:12},
 * {@code annotation on OrderService.place}
 * @since 0.1
 */
public record EffectiveValue(String value, @JsonIgnore Level level, String origin) {

	/** The origin of a default. */
	public static final String BUILT_IN = "built in";

	/** Return a number with three digits, or with all digits before its point. */
	public static String number(double number) {
		BigDecimal exact = new BigDecimal(number);
		int digits = Math.max(3, exact.precision() - exact.scale());
		return exact.round(new MathContext(digits)).stripTrailingZeros().toPlainString();
	}

	/** Return whether the value is set, and so is no default. */
	public boolean wasSet() {
		return this.level.rank().compareTo(Level.Rank.DEFAULTS) >= 0;
	}

	/** Create a problem of this value from a rule without a full stop, and a fix. */
	public Problem problem(String place, String rule, String fix) {
		return wasSet() ? Problem.ofValue(place, this.value, this.origin, rule, fix)
				: Problem.ofValue(place, this.value + ", " + this.origin, "", rule, fix);
	}

	/** Return a default. */
	public static EffectiveValue builtIn(String text) {
		return new EffectiveValue(text, Level.BUILT_IN, BUILT_IN);
	}

}
