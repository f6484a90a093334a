package dev.backoff.benchmarks.speed;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;

import dev.backoff.benchmarks.speed.SpeedResults.Figure;

/** Tables in Markdown of what JMH measured, with ratios against the peers. */
final class SpeedTable {

	private static final Map<String, String> LABELS = Map.ofEntries(Map.entry("PLAIN", "plain call"),
			Map.entry("PROXY", "no-op proxy"), Map.entry("FLOOR", "floor: proxy and one `Timer`"),
			Map.entry("FRAMEWORK", "Framework `@Retryable`"),
			Map.entry("FRAMEWORK_TIMED", "Framework `@Retryable` + `@Timed`"),
			Map.entry("SPRING_RETRY", "Spring Retry"), Map.entry("RESILIENCE4J", "Resilience4j retry"),
			Map.entry("RESILIENCE4J_BREAKER", "Resilience4j retry + breaker"), Map.entry("FAILSAFE", "Failsafe"),
			Map.entry("BACKOFF", "**Backoff**, in full"), Map.entry("BACKOFF_PROGRAMMATIC", "Backoff by hand, in full"),
			Map.entry("BACKOFF_WOVEN", "Backoff woven, in full"), Map.entry("BACKOFF_SLOTS", "with `concurrency`"),
			Map.entry("BACKOFF_NO_BREAKER", "without breaker"), Map.entry("BACKOFF_NO_BUDGET", "without budget"),
			Map.entry("BACKOFF_NO_METERS", "without meters"),
			Map.entry("BACKOFF_BARE", "without breaker, budget, meters"),
			Map.entry("BACKOFF_PACE", "with `pace`, told nothing"),
			Map.entry("BACKOFF_PACE_TOLD", "with `pace`, told of two quotas"),
			Map.entry("BACKOFF_KEY", "with a breaker per `#question`"),
			Map.entry("BACKOFF_KEY_PACE", "with breaker and `pace` per `#question`"),
			Map.entry("BACKOFF_KEY_PROPERTY", "with a breaker per `#order.tenant`"),
			Map.entry("BACKOFF_DISABLED", "`backoff.enabled: false`"));

	/** Whose success at once belongs into the tables, in their order. */
	static final List<String> SUCCEEDING = List.of("PLAIN", "PROXY", "FLOOR", "FRAMEWORK", "FRAMEWORK_TIMED",
			"SPRING_RETRY", "RESILIENCE4J", "RESILIENCE4J_BREAKER", "FAILSAFE", "BACKOFF", "BACKOFF_WOVEN",
			"BACKOFF_PROGRAMMATIC");

	private static final String FUTURES = "AsyncBenchmark";

	private static final Set<String> RETRY_NO_FUTURES = Set.of("FRAMEWORK", "FRAMEWORK_TIMED", "SPRING_RETRY");

	private static final String FLOOR = "FLOOR";

	private static final String FRAMEWORK = "FRAMEWORK";

	private final SpeedResults results;

	private final int cores;

	SpeedTable(SpeedResults results, int cores) {
		this.results = results;
		this.cores = cores;
	}

	/** Return the goals, then one table for each case that was measured. */
	String write() {
		StringBuilder page = new StringBuilder("JDK " + this.results.jdk() + ", " + this.cores + " cores\n");
		section(page, "Goals", "goal | must | aim | measured |", new SpeedGoals(this.results, this.cores).rows());
		calls(page, "Success at once", "SuccessBenchmark", FLOOR);
		calls(page, "Success at once, by two threads", "TwoThreadsBenchmark", FLOOR);
		calls(page, "Success at once, by eight threads", "EightThreadsBenchmark", FLOOR);
		calls(page, "A future that is complete at once", FUTURES, FLOOR);
		calls(page, "Two failures, then success", "RecoveryBenchmark", FRAMEWORK);
		calls(page, "Stop after four attempts", "StopBenchmark", FRAMEWORK);
		calls(page, "What each feature costs", "FeatureBenchmark", FLOOR);
		calls(page, "With a pace or a key", "PaceBenchmark", FLOOR);
		section(page, "One delay", "rule | ns | median | bytes", delays());
		return page.toString();
	}

	/** Return what one benchmark measured, in few columns. */
	String writeShort(String benchmark) {
		StringBuilder table = new StringBuilder(
				"JDK " + this.results.jdk() + ", " + this.cores + " cores:\n\n| call | ns | ratio | bytes |\n");
		table.append("| --- | --- | --- | --- |\n");
		this.results.of(benchmark)
			.forEach((figure) -> table.append("| ")
				.append(label(figure))
				.append(" | ")
				.append(format("%.1f", figure.nanos()))
				.append(" | ")
				.append(ratio(figure, FLOOR))
				.append(" | ")
				.append(bytes(figure))
				.append(" |\n"));
		return table.toString();
	}

	private void calls(StringBuilder page, String title, String benchmark, String against) {
		List<String> rows = this.results.of(benchmark)
			.stream()
			.map((figure) -> label(figure) + " | " + nanos(figure) + " | " + ratio(figure, against) + " | "
					+ ratio(figure, against, Figure::median))
			.toList();
		section(page, title, "call | ns | median | bytes | ratio to " + LABELS.get(against) + " | of medians", rows);
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

	private List<String> delays() {
		return this.results.of("DelayBenchmark")
			.stream()
			.map((figure) -> figure.parameter() + " | " + nanos(figure))
			.toList();
	}

	private static String label(Figure figure) {
		String label = LABELS.getOrDefault(figure.parameter(), figure.parameter());
		boolean notRetried = figure.benchmark().equals(FUTURES) && RETRY_NO_FUTURES.contains(figure.parameter());
		return notRetried ? label + ", which retries no future" : label;
	}

	private String ratio(Figure figure, String against) {
		return ratio(figure, against, Figure::nanos);
	}

	private String ratio(Figure figure, String against, ToDoubleFunction<Figure> time) {
		Optional<Figure> base = this.results.find(figure.benchmark(), against);
		return base.map((other) -> format("%.2f", time.applyAsDouble(figure) / time.applyAsDouble(other))).orElse("–");
	}

	private static String nanos(Figure figure) {
		return format("%.1f | %.1f | ", figure.nanos(), figure.median()) + bytes(figure);
	}

	private static String bytes(Figure figure) {
		return Double.isNaN(figure.bytes()) ? "–" : format("%.0f", figure.bytes());
	}

	private static String format(String format, Object... numbers) {
		return String.format(Locale.ROOT, format, numbers);
	}

}
