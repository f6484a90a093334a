package dev.backoff.spring.policy;

import java.util.List;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import org.springframework.util.PlaceholderResolutionException;

/** Text that may hold placeholders, and must not hold expressions. */
final class PlaceholderText {

	private PlaceholderText() {
	}

	/** Resolve the placeholders of a text. */
	static @Nullable String resolve(String text, UnaryOperator<String> resolver, ConfigValue value,
			List<Problem> problems) {
		if (text.contains("#{")) {
			problems.add(value.problem("must not be an expression: #{} is never evaluated here",
					"Write a literal value, or a ${placeholder}."));
			return null;
		}
		if (!text.contains("${")) {
			return text;
		}
		try {
			return resolver.apply(text);
		}
		catch (PlaceholderResolutionException ex) {
			problems.add(value.problem(
					"has the placeholder ${" + ex.getPlaceholder() + "}, which "
							+ (text.contains("${" + ex.getPlaceholder()) ? "nothing defines"
									: "stands for itself or for nothing"),
					"Define the property " + ex.getPlaceholder() + ", or give it a default, as in ${"
							+ ex.getPlaceholder() + ":2s}."));
			return null;
		}
		catch (IllegalArgumentException ex) {
			problems
				.add(value.problem("has a placeholder that cannot be resolved", "Write it as ${name} or ${name:2s}."));
			return null;
		}
	}

}
