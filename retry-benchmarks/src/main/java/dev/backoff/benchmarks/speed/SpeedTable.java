package dev.backoff.benchmarks.speed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import dev.backoff.benchmarks.speed.SpeedResults.Figure;

/** Tables in Markdown of what JMH measured, with ratios against the peers. */
public final class SpeedTable {

	private static final String OURS = "BACKOFF";

	private static final Map<String, String> LABELS = Map.ofEntries(Map.entry("PLAIN", "plain call"),
			Map.entry("PROXY", "no-op proxy"), Map.entry("FLOOR", "floor: proxy and one `Timer`"),
			Map.entry("FRAMEWORK", "Framework `@Retryable`"),
			Map.entry("FRAMEWORK_TIMED", "Framework `@Retryable` + `@Timed`"),
			Map.entry("SPRING_RETRY", "Spring Retry"), Map.entry("RESILIENCE4J", "Resilience4j retry"),
			Map.entry("RESILIENCE4J_BREAKER", "Resilience4j retry + breaker"), Map.entry("FAILSAFE", "Failsafe"),
			Map.entry(OURS, "**Backoff**, in full"), Map.entry("BACKOFF_PROGRAMMATIC", "Backoff by hand, in full"),
			Map.entry("BACKOFF_WOVEN", "Backoff woven, in full"), Map.entry("BACKOFF_NO_BREAKER", "without breaker"),
			Map.entry("BACKOFF_NO_BUDGET", "without budget"), Map.entry("BACKOFF_NO_METERS", "without meters"),
			Map.entry("BACKOFF_BARE", "without breaker, budget, meters"),
			Map.entry("BACKOFF_DISABLED", "`backoff.enabled: false`"));

	private static final List<Goal> GOALS = List.of(
			new Goal("success at once, against the floor", "SuccessBenchmark", "FLOOR", 1.30),
			new Goal("success at once, against Framework + `@Timed`", "SuccessBenchmark", "FRAMEWORK_TIMED", 0.35),
			new Goal("success at once, against Resilience4j retry + breaker", "SuccessBenchmark",
					"RESILIENCE4J_BREAKER", 0.08),
			new Goal("two failures, then success, against Framework", "RecoveryBenchmark", "FRAMEWORK", 0.70));

	private static final double MOST_NANOS = 60;

	private static final double MOST_NANOS_OF_BETA = 200;

	private static final double LEAST_SCALING = 0.90;

	/* What a collector's own bookkeeping shows as a share of a byte. */
	private static final double NO_BYTES = 0.5;

	private final SpeedResults results;

	SpeedTable(SpeedResults results) {
		this.results = results;
	}

	/**
	 * Print the tables.
	 * @param args the file that JMH wrote
	 */
	public static void main(String[] args) {
		try {
			String json = Files.readString(Path.of(args[0]), StandardCharsets.UTF_8);
			System.out.print(new SpeedTable(SpeedResults.parse(json)).write());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Return the goals, then one table for each case that was measured. */
	String write() {
		StringBuilder page = new StringBuilder("JDK " + this.results.jdk() + "\n");
		section(page, "Goals", "goal | wanted | measured |", goals());
		section(page, "Success at once", calls("FLOOR"), rows("SuccessBenchmark", "FLOOR"));
		section(page, "Success at once, by two threads", calls("FLOOR"), rows("TwoThreadsBenchmark", "FLOOR"));
		section(page, "Two failures, then success", calls("FRAMEWORK"), rows("RecoveryBenchmark", "FRAMEWORK"));
		section(page, "Stop after four attempts", calls("FRAMEWORK"), rows("StopBenchmark", "FRAMEWORK"));
		section(page, "What each feature costs", calls("FLOOR"), rows("FeatureBenchmark", "FLOOR"));
		section(page, "One delay", "rule | ns | median | bytes", delays());
		return page.toString();
	}

	private static String calls(String against) {
		return "call | ns | median | bytes | ratio to " + LABELS.get(against);
	}

	private static void section(StringBuilder page, String title, String header, List<String> rows) {
		if (rows.isEmpty()) {
			return;
		}
		String columns = header.endsWith("|") ? header + " " : header;
		page.append("\n## ").append(title).append("\n\n| ").append(columns).append(" |\n|");
		page.append(" --- |".repeat(columns.split("\\|", -1).length)).append('\n');
		rows.forEach((row) -> page.append("| ").append(row).append(" |\n"));
	}

	private List<String> rows(String benchmark, String against) {
		Optional<Figure> base = this.results.find(benchmark, against);
		return this.results.of(benchmark)
			.stream()
			.map((figure) -> label(figure) + " | " + nanos(figure) + " | "
					+ base.map((floor) -> format("%.2f", figure.nanos() / floor.nanos())).orElse("–"))
			.toList();
	}

	private List<String> delays() {
		return this.results.of("DelayBenchmark")
			.stream()
			.map((figure) -> figure.parameter() + " | " + nanos(figure))
			.toList();
	}

	private static String label(Figure figure) {
		return LABELS.getOrDefault(figure.parameter(), figure.parameter());
	}

	private static String nanos(Figure figure) {
		return format("%.1f | %.1f | ", figure.nanos(), figure.median())
				+ (Double.isNaN(figure.bytes()) ? "–" : format("%.0f", figure.bytes()));
	}

	private List<String> goals() {
		List<String> rows = new ArrayList<>();
		for (Goal goal : GOALS) {
			ratio(goal.benchmark(), OURS, goal.benchmark(), goal.against()).ifPresent(
					(ratio) -> rows.add(row(goal.title(), "≤ %.2f", goal.most(), "%.2f", ratio, ratio <= goal.most())));
		}
		bytesBeyondProxy().ifPresent((bytes) -> rows
			.add(row("success at once, bytes beyond the proxy", "%.0f", 0, "%.0f", bytes, bytes < NO_BYTES)));
		ratio("SuccessBenchmark", OURS, "TwoThreadsBenchmark", OURS)
			.ifPresent((scaling) -> rows.add(row("each of two threads, against one alone", "≥ %.2f", LEAST_SCALING,
					"%.2f", scaling, scaling >= LEAST_SCALING)));
		slowest(false).ifPresent((most) -> rows
			.add(row("one delay, any jitter but beta, ns", "≤ %.0f", MOST_NANOS, "%.0f", most, most <= MOST_NANOS)));
		slowest(true).ifPresent((most) -> rows
			.add(row("one delay, beta, ns", "≤ %.0f", MOST_NANOS_OF_BETA, "%.0f", most, most <= MOST_NANOS_OF_BETA)));
		this.results.of("DelayBenchmark")
			.stream()
			.map(Figure::bytes)
			.filter((bytes) -> !Double.isNaN(bytes))
			.max(Double::compare)
			.ifPresent((bytes) -> rows.add(row("one delay, bytes", "%.0f", 0, "%.0f", bytes, bytes < NO_BYTES)));
		return rows;
	}

	private static String row(String title, String bound, double wanted, String format, double measured, boolean met) {
		return title + " | " + format(bound, wanted) + " | " + format(format, measured) + " | "
				+ (met ? "met" : "**missed**");
	}

	private Optional<Double> ratio(String benchmark, String parameter, String baseBenchmark, String base) {
		return this.results.find(benchmark, parameter)
			.flatMap((figure) -> this.results.find(baseBenchmark, base).map((other) -> figure.nanos() / other.nanos()));
	}

	private Optional<Double> bytesBeyondProxy() {
		return this.results.find("SuccessBenchmark", OURS)
			.flatMap((ours) -> this.results.find("SuccessBenchmark", "PROXY")
				.map((proxy) -> Math.max(0, ours.bytes() - proxy.bytes())))
			.filter((bytes) -> !Double.isNaN(bytes));
	}

	private Optional<Double> slowest(boolean beta) {
		return this.results.of("DelayBenchmark")
			.stream()
			.filter((figure) -> figure.parameter().contains("beta") == beta)
			.map(Figure::nanos)
			.max(Double::compare);
	}

	private static String format(String format, Object... numbers) {
		return String.format(Locale.ROOT, format, numbers);
	}

	/**
	 * What a ratio of ours is to be.
	 *
	 * @param title what it is
	 * @param benchmark where ours and the peer are measured
	 * @param against the peer
	 * @param most the greatest ratio that is good enough
	 */
	private record Goal(String title, String benchmark, String against, double most) {
	}

}
