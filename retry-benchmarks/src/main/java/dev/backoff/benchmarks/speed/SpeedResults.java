package dev.backoff.benchmarks.speed;

import java.util.ArrayList;
import java.util.Arrays;
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
	 * @param runs an array of results for each run; of what was measured twice, the later
	 * one counts
	 * @return the results
	 * @throws IllegalArgumentException if it is no such thing
	 */
	static SpeedResults parse(List<String> runs) {
		Map<List<String>, Figure> figures = new LinkedHashMap<>();
		Set<String> jdks = new LinkedHashSet<>();
		for (String json : runs) {
			for (Object element : JsonParserFactory.getJsonParser().parseList(json)) {
				Map<?, ?> result = map(element);
				jdks.add(text(result, "jdkVersion"));
				Figure figure = figure(result);
				figures.put(List.of(figure.benchmark(), figure.parameter()), figure);
			}
		}
		if (jdks.isEmpty()) {
			throw new IllegalArgumentException("Invalid results (" + runs + "): nothing was measured.");
		}
		if (jdks.size() > 1) {
			throw new IllegalArgumentException("Invalid results (JDKs " + jdks + "): must be of one JDK.");
		}
		return new SpeedResults(jdks.iterator().next(), List.copyOf(figures.values()));
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

	private static Figure figure(Map<?, ?> result) {
		String[] name = text(result, "benchmark").split("\\.", -1);
		Object parameter = map(result.get("params")).values().iterator().next();
		double[] nanos = nanos(result);
		double bytes = Double.NaN;
		// in some forks the compiler keeps an object of Spring's, whoever is measured
		for (Map.Entry<?, ?> metric : map(result.get("secondaryMetrics")).entrySet()) {
			if (String.valueOf(metric.getKey()).endsWith("gc.alloc.rate.norm")) {
				bytes = least(numbers(map(metric.getValue()).get("rawData")));
			}
		}
		return new Figure(name[name.length - 2], String.valueOf(parameter), least(nanos), median(nanos), bytes);
	}

	/* In calls of all threads a nanosecond, or the other way round. */
	private static double[] nanos(Map<?, ?> result) {
		double[] scores = numbers(map(result.get("primaryMetric")).get("rawData"));
		if (!text(result, "mode").equals("thrpt")) {
			return scores;
		}
		double threads = Double.parseDouble(text(result, "threads"));
		return Arrays.stream(scores).map((calls) -> threads / calls).sorted().toArray();
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

	/* Of all forks: JMH has a list for each. */
	private static double[] numbers(@Nullable Object forks) {
		List<Double> numbers = new ArrayList<>();
		for (Object fork : (List<?>) Objects.requireNonNull(forks)) {
			for (Object number : (List<?>) fork) {
				numbers.add(Double.parseDouble(String.valueOf(number)));
			}
		}
		return numbers.stream().mapToDouble(Double::doubleValue).sorted().toArray();
	}

	private static double least(double[] sorted) {
		return Arrays.stream(sorted).min().orElse(Double.NaN);
	}

	private static double median(double[] sorted) {
		int middle = sorted.length / 2;
		return (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
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
