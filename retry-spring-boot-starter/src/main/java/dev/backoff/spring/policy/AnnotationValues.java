package dev.backoff.spring.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import dev.backoff.annotation.Backoff;

/**
 * What one annotation sets: text, with placeholders resolved.
 *
 * @param place what a report calls it, for instance
 * {@code @Backoff on OrderService.place(Order)}
 * @param name the policy's name, empty if it gives none
 * @param values what it sets
 */
record AnnotationValues(String place, String name, Map<PolicyKey, ConfigValue> values) {

	AnnotationValues {
		values = PolicyKey.inOrder(values);
	}

	/** Read an annotation. */
	static AnnotationValues of(Backoff annotation, String on, String origin, Placeholders placeholders,
			List<Problem> problems) {
		String place = "@Backoff on " + on;
		Map<PolicyKey, ConfigValue> values = new EnumMap<>(PolicyKey.class);
		Reader reader = new Reader(place, "annotation on " + origin, placeholders, problems, values);
		reader.read(PolicyKey.PRESET, annotation.preset());
		reader.read(PolicyKey.SHAPE, annotation.shape());
		reader.read(PolicyKey.BASE, annotation.base());
		reader.read(PolicyKey.CAP, annotation.cap());
		reader.read(PolicyKey.MULTIPLIER, annotation.multiplier());
		reader.read(PolicyKey.STEP, annotation.step());
		reader.read(PolicyKey.LADDER, annotation.ladder());
		reader.read(PolicyKey.JITTER, annotation.jitter());
		reader.read(PolicyKey.MAX_ATTEMPTS, annotation.maxAttempts());
		reader.read(PolicyKey.DEADLINE, annotation.deadline());
		reader.read(PolicyKey.ATTEMPT_TIMEOUT, annotation.attemptTimeout());
		reader.read(PolicyKey.RETRY_ON, names(annotation.retryOn()));
		reader.read(PolicyKey.ABORT_ON, names(annotation.abortOn()));
		reader.read(PolicyKey.CLASSIFIER, annotation.classifier());
		reader.read(PolicyKey.BREAKER, annotation.breaker());
		reader.read(PolicyKey.BUDGET, annotation.budget());
		reader.read(PolicyKey.IDEMPOTENT, annotation.idempotent());
		return new AnnotationValues(place, reader.name(annotation.value()), values);
	}

	/** Return whether it sets any value besides the name. */
	boolean isEmpty() {
		return this.values.isEmpty();
	}

	private static String[] names(Class<?>[] types) {
		return Arrays.stream(types).map(Class::getName).toArray(String[]::new);
	}

	private record Reader(String place, String origin, Placeholders placeholders, List<Problem> problems,
			Map<PolicyKey, ConfigValue> values) {

		void read(PolicyKey key, String... texts) {
			if (texts.length == 0 || (texts.length == 1 && texts[0].isEmpty())) {
				return;
			}
			ConfigValue written = new ConfigValue(List.of(texts), this.place + ": invalid " + key.attribute(),
					this.origin);
			List<String> resolved = new ArrayList<>();
			for (String text : texts) {
				String plain = PlaceholderText.resolve(text, this.placeholders.of(key), written, this.problems);
				if (plain == null) {
					return;
				}
				resolved.add(plain.strip());
			}
			if (!Section.POLICIES.isList(key) && resolved.get(0).isEmpty()) {
				this.problems.add(written.problem("must not be blank", "Give it a value, or leave it out."));
				return;
			}
			this.values.put(key, written.withTexts(key == PolicyKey.LADDER ? split(resolved) : resolved));
		}

		/* A placeholder may stand for a whole ladder. */
		private static List<String> split(List<String> rungs) {
			return rungs.stream().flatMap((text) -> Arrays.stream(text.split(","))).map(String::strip).toList();
		}

		String name(String text) {
			ConfigValue written = new ConfigValue(List.of(text), this.place + ": invalid value", this.origin);
			String plain = PlaceholderText.resolve(text, this.placeholders.ofName(), written, this.problems);
			return (plain != null) ? plain.strip() : "";
		}

	}

}
