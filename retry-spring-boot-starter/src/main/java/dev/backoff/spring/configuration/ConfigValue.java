package dev.backoff.spring.configuration;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import org.springframework.util.PlaceholderResolutionException;

/**
 * A value: its text, the place where it is written, and its meaning.
 *
 * @param texts the text, or the elements of a list, placeholders resolved
 * @param place how a report names it:
 * {@code @Backoff on OrderService.place(Order): invalid
 * cap} or {@code Invalid backoff.policies.orders.cap}
 * @param level how strong it is
 * @param origin where it is written: {@code annotation on OrderService.place} or
 * {@code application.yml:12}
 * @param source the text with placeholders that it comes from, or empty
 * @param parsed the parsed value, or null if the text is not parsed or wrong
 * @param problems the problems of the value by itself
 * @since 0.1
 */
public record ConfigValue(List<String> texts, String place, Level level, String origin, String source,
		@Nullable Object parsed, List<Problem> problems) {

	/** Create a value that is not parsed, with unresolved placeholders. */
	public ConfigValue(List<String> texts, String place, Level level, String origin) {
		this(List.copyOf(texts), place, level, origin, "", null, List.of());
	}

	/** Parse the value, without placeholders; the result may have problems. */
	public ConfigValue parse(Key<?> key) {
		List<Object> parsed = new ArrayList<>();
		List<Problem> problems = new ArrayList<>();
		for (List<String> part : key.isElementwise() ? this.texts.stream().map(List::of).toList()
				: List.of(this.texts)) {
			try {
				parsed.add(key.parse(part));
			}
			catch (InvalidTextException ex) {
				problems.add(with(part, this.source).problem(ex.rule(), ex.fix()));
			}
		}
		return new ConfigValue(this.texts, this.place, this.level, this.origin, this.source,
				key.isElementwise() ? List.copyOf(parsed) : parsed.isEmpty() ? null : parsed.get(0), problems);
	}

	private ConfigValue with(List<String> texts, String source) {
		return new ConfigValue(List.copyOf(texts), this.place, this.level, this.origin, source, null, List.of());
	}

	/** Resolve the placeholders and parse; null, with a problem, if there is no text. */
	public @Nullable ConfigValue read(Key<?> key, UnaryOperator<String> resolver, List<Problem> problems) {
		List<String> plain = new ArrayList<>();
		for (String text : this.texts) {
			String resolved = resolve(text, resolver, problems);
			if (resolved == null) {
				return null;
			}
			plain.addAll(key.split(resolved));
		}
		if (!key.isList() && plain.get(0).isEmpty()) {
			problems.add(this.level.isOfAnnotation() ? problem("must not be blank", "Give it a value, or leave it out.")
					: problem("must not be empty", "Give it a value, or remove the key."));
			return null;
		}
		return with(plain, text().contains("${") ? text() : "").parse(key);
	}

	/** Resolve the placeholders of one of its texts, or return null with a problem. */
	public @Nullable String resolve(String text, UnaryOperator<String> resolver, List<Problem> problems) {
		if (text.contains("#{")) {
			problems.add(problem("must not be an expression: #{} is never evaluated here",
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
			// it is not defined, or by itself
			problems.add(problem("has the placeholder ${" + ex.getPlaceholder() + "}, which has no value",
					"Define the property " + ex.getPlaceholder() + ", or give it a default, as in ${"
							+ ex.getPlaceholder() + ":2s}."));
			return null;
		}
	}

	/** Return the origin of the value of a key. */
	public static String origin(Map<Key<?>, ConfigValue> values, Key<?> key) {
		ConfigValue written = values.get(key);
		return (written != null) ? written.origin() : EffectiveValue.BUILT_IN;
	}

	public String text() {
		return String.join(", ", this.texts);
	}

	/** Return one of the elements, for a report. */
	public ConfigValue element(String text) {
		return with(List.of(text), this.source);
	}

	/** Create a problem from a rule without a full stop, and a fix, a sentence. */
	public Problem problem(String rule, String fix) {
		return Problem.ofValue(this.place, this.source.isEmpty() ? text() : text() + " from " + this.source,
				this.level.isOfAnnotation() ? "" : this.origin, rule, fix);
	}

	/** Return the value as it is shown when it is in effect. */
	public EffectiveValue shown() {
		return new EffectiveValue(text(), this.level, this.origin);
	}

	/** Return the same value of an ancestor. */
	public ConfigValue inherited(int distance) {
		return new ConfigValue(this.texts, this.place, this.level.inherited(distance), this.origin, this.source,
				this.parsed, this.problems);
	}

}
