package dev.backoff.benchmarks.speed;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

import dev.backoff.benchmarks.speed.SpeedResults.Figure;

/** What speed is wanted: what it must be, and what is aimed at. */
final class SpeedGoals {

	private static final String SUCCESS = "SuccessBenchmark";

	private static final String FEATURES = "FeatureBenchmark";

	private static final String OURS = "BACKOFF";

	private static final String FLOOR = "FLOOR";

	private static final String RATIO = "%.2f";

	private static final String SMALL_RATIO = "%.3f";

	private static final String WHOLE = "%.0f";

	/* What a collector's own bookkeeping shows as a share of a byte. */
	private static final double NO_BYTES = 0.5;

	private static final double CALLS_PER_SECOND = 10_000;

	private static final double PERCENT_PER_NANO = 100 / 1e9;

	private final SpeedResults results;

	private final int cores;

	SpeedGoals(SpeedResults results, int cores) {
		this.results = results;
		this.cores = cores;
	}

	/** Return a row for each goal that was measured. */
	List<String> rows() {
		return List
			.of(against("success at once, against the floor", SUCCESS, FLOOR, 1.20, 1.15),
					against("success at once, against Framework `@Retryable` + `@Timed`", SUCCESS, "FRAMEWORK_TIMED",
							0.35, 0.28),
					against("success at once, against Resilience4j retry + breaker", SUCCESS, "RESILIENCE4J_BREAKER",
							0.08, 0.06),
					bytesBeyondProxy(), woven(), slots(),
					against("two failures, then success, against Framework `@Retryable`", "RecoveryBenchmark",
							"FRAMEWORK", 0.70, 0.50),
					twoThreads(), eightThreads(), delay("one delay, any jitter but beta, ns", false, 60, 30),
					delay("one delay, beta, ns", true, 200, 60), bytesOfDelays(), share())
			.stream()
			.flatMap(Optional::stream)
			.toList();
	}

	private Optional<String> against(String title, String benchmark, String peer, double must, double aim) {
		return ratio(benchmark, OURS, benchmark, peer)
			.map((ratio) -> row(title, "≤ " + format(RATIO, must), "≤ " + format(RATIO, aim),
					format((must < 0.1) ? SMALL_RATIO : RATIO, ratio), ratio <= must, ratio <= aim));
	}

	private Optional<String> woven() {
		return ratio(SUCCESS, "BACKOFF_WOVEN", SUCCESS, FLOOR)
			.map((ratio) -> atMost("success at once, woven, against the proxied floor", RATIO, 1.05, 0.95, ratio));
	}

	private Optional<String> slots() {
		return this.results.find(FEATURES, "BACKOFF_SLOTS")
			.flatMap((slots) -> this.results.find(FEATURES, OURS).map((ours) -> slots.nanos() - ours.nanos()))
			.map((more) -> atMost("success at once, with `concurrency`, ns more than without", WHOLE, 25, 15, more));
	}

	private Optional<String> bytesBeyondProxy() {
		return this.results.find(SUCCESS, OURS)
			.flatMap((ours) -> this.results.find(SUCCESS, "PROXY")
				.map((proxy) -> Math.max(0, ours.bytes() - proxy.bytes())))
			.filter((bytes) -> !Double.isNaN(bytes))
			.map((bytes) -> none("success at once, bytes beyond the no-op proxy", bytes));
	}

	private Optional<String> twoThreads() {
		return ratio(SUCCESS, OURS, "TwoThreadsBenchmark", OURS)
			.map((scaling) -> atLeast("2 threads: a call's time on one, divided by that on each of two", scaling));
	}

	private Optional<String> eightThreads() {
		String title = "8 threads" + ((this.cores < 8) ? " on " + this.cores + " cores" : "")
				+ ": how much slower than on one the floor is, divided by the same of ours";
		return ratio(SUCCESS, OURS, "EightThreadsBenchmark", OURS)
			.flatMap((ours) -> ratio(SUCCESS, FLOOR, "EightThreadsBenchmark", FLOOR)
				.map((floor) -> atLeast(title, ours / floor)));
	}

	private Optional<String> delay(String title, boolean beta, double must, double aim) {
		return this.results.of("DelayBenchmark")
			.stream()
			.filter((figure) -> figure.parameter().contains("beta") == beta)
			.map(Figure::nanos)
			.max(Double::compare)
			.map((slowest) -> atMost(title, WHOLE, must, aim, slowest));
	}

	private Optional<String> bytesOfDelays() {
		return this.results.of("DelayBenchmark")
			.stream()
			.map(Figure::bytes)
			.filter((bytes) -> !Double.isNaN(bytes))
			.max(Double::compare)
			.map((bytes) -> none("one delay, bytes", bytes));
	}

	private Optional<String> share() {
		return this.results.find(SUCCESS, OURS)
			.map((ours) -> atMost("10,000 annotated calls a second, share of one core", "%.3f %%", 0.2, 0.12,
					ours.nanos() * CALLS_PER_SECOND * PERCENT_PER_NANO));
	}

	private Optional<Double> ratio(String benchmark, String parameter, String baseBenchmark, String base) {
		return this.results.find(benchmark, parameter)
			.flatMap((figure) -> this.results.find(baseBenchmark, base).map((other) -> figure.nanos() / other.nanos()));
	}

	private static String atMost(String title, String format, double must, double aim, double measured) {
		return row(title, "≤ " + format(format, must), "≤ " + format(format, aim), format(format, measured),
				measured <= must, measured <= aim);
	}

	private static String atLeast(String title, double measured) {
		return row(title, "≥ 0.90", "≥ 0.97", format(RATIO, measured), measured >= 0.90, measured >= 0.97);
	}

	private static String none(String title, double bytes) {
		return row(title, "0", "0", format(WHOLE, bytes), bytes < NO_BYTES, bytes < NO_BYTES);
	}

	private static String row(String title, String must, String aim, String measured, boolean met, boolean aimMet) {
		return title + " | " + must + " | " + aim + " | " + measured + " | "
				+ (aimMet ? "as aimed at" : met ? "met" : "**missed**");
	}

	private static String format(String format, double number) {
		return String.format(Locale.ROOT, format, number);
	}

}
