package dev.backoff.benchmarks.speed;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.json.JsonParserFactory;

/**
 * What JMH wrote down, one {@link Figure} for each benchmark and parameter, in its order.
 *
 * @param jdk the version that ran it
 * @param figures what was measured
 */
record SpeedResults(String jdk, List<Figure> figures) {

	SpeedResults {
		figures = List.copyOf(figures);
	}

	/**
	 * Read the JSON of JMH.
	 * @param runs an array of results for each run; of what was measured in several, all
	 * iterations count
	 * @return the results
	 * @throws IllegalArgumentException if it is no such thing
	 */
	static SpeedResults parse(List<String> runs) {
		Map<List<String>, Measured> measured = new LinkedHashMap<>();
		Set<String> jdks = new LinkedHashSet<>();
		for (String json : runs) {
			for (Object element : JsonParserFactory.getJsonParser().parseList(json)) {
				Map<?, ?> result = map(element);
				jdks.add(text(result, "jdkVersion"));
				String[] name = text(result, "benchmark").split("\\.", -1);
				Object parameter = map(result.get("params")).values().iterator().next();
				measured.computeIfAbsent(List.of(name[name.length - 2], String.valueOf(parameter)), Measured::new)
					.add(result);
			}
		}
		if (jdks.isEmpty()) {
			throw new IllegalArgumentException("Invalid results (" + runs + "): nothing was measured.");
		}
		if (jdks.size() > 1) {
			throw new IllegalArgumentException("Invalid results (JDKs " + jdks + "): must be of one JDK.");
		}
		return new SpeedResults(jdks.iterator().next(), measured.values().stream().map(Measured::figure).toList());
	}

	/** Return the feature version of the JDK, 17 for instance. */
	String feature() {
		return this.jdk.split("[.+-]", -1)[0];
	}

	/**
	 * Return the figure of a parameter.
	 * @param benchmark the simple name of the class
	 * @param parameter the value of its only parameter
	 * @return the figure, or nothing if it was not measured
	 */
	Optional<Figure> find(String benchmark, String parameter) {
		return of(benchmark).stream().filter((figure) -> figure.parameter().equals(parameter)).findFirst();
	}

	/**
	 * Return the figures of a benchmark.
	 * @param benchmark the simple name of the class
	 * @return those of all its parameters, in order
	 */
	List<Figure> of(String benchmark) {
		return this.figures.stream().filter((figure) -> figure.benchmark().equals(benchmark)).toList();
	}

	private static Map<?, ?> map(@Nullable Object value) {
		if (value instanceof Map<?, ?> map) {
			return map;
		}
		throw new IllegalArgumentException("Invalid results (" + value + "): must be an object of JMH.");
	}

	private static String text(Map<?, ?> result, String key) {
		return String.valueOf(result.get(key));
	}

	/** What was measured of one parameter, by all forks of all runs. */
	private static final class Measured {

		private final List<String> name;

		private final List<Double> nanos = new ArrayList<>();

		private final List<Double> bytes = new ArrayList<>();

		Measured(List<String> name) {
			this.name = name;
		}

		void add(Map<?, ?> result) {
			// in calls of all threads a nanosecond, or the other way round
			boolean inverse = text(result, "mode").equals("thrpt");
			double threads = inverse ? Double.parseDouble(text(result, "threads")) : 1;
			numbers(map(result.get("primaryMetric")).get("rawData"))
				.forEach((score) -> this.nanos.add(inverse ? threads / score : score));
			map(result.get("secondaryMetrics")).forEach((metric, values) -> {
				if (String.valueOf(metric).endsWith("gc.alloc.rate.norm")) {
					this.bytes.addAll(numbers(map(values).get("rawData")));
				}
			});
		}

		/*
		 * Fewest bytes: in some forks the compiler keeps an object of Spring's, whoever
		 * is measured.
		 */
		Figure figure() {
			double fewest = this.bytes.isEmpty() ? Double.NaN : Collections.min(this.bytes);
			return new Figure(this.name.get(0), this.name.get(1), Collections.min(this.nanos), median(this.nanos),
					fewest);
		}

		private static List<Double> numbers(@Nullable Object forks) {
			List<Double> numbers = new ArrayList<>();
			for (Object fork : (List<?>) Objects.requireNonNull(forks)) {
				for (Object number : (List<?>) fork) {
					numbers.add(Double.parseDouble(String.valueOf(number)));
				}
			}
			return numbers;
		}

		private static double median(List<Double> numbers) {
			List<Double> sorted = numbers.stream().sorted().toList();
			int middle = sorted.size() / 2;
			return (sorted.size() % 2 == 1) ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
		}

	}

	/**
	 * One measurement.
	 *
	 * @param benchmark the simple name of the class
	 * @param parameter the value of its parameter
	 * @param nanos the mean time of one call in the fastest iteration, on each thread if
	 * there are several: what else runs on the machine only ever adds to it
	 * @param median the same in the middle iteration
	 * @param bytes what one call allocates, not a number if that was not measured
	 */
	record Figure(String benchmark, String parameter, double nanos, double median, double bytes) {
	}

}
