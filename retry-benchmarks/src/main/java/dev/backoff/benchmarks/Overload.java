package dev.backoff.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.backoff.benchmarks.herd.Herd;
import dev.backoff.benchmarks.layers.NestedLayers;
import dev.backoff.benchmarks.outage.Contender;
import dev.backoff.benchmarks.outage.OutageExperiment;
import dev.backoff.benchmarks.refusals.Refusal;
import dev.backoff.benchmarks.report.Csv;
import dev.backoff.benchmarks.report.OverloadPage;
import dev.backoff.benchmarks.stall.RetryLimit;
import dev.backoff.benchmarks.stall.StallExperiment;
import dev.backoff.benchmarks.stall.StallFigures;
import dev.backoff.benchmarks.stall.StallSimulation;
import dev.backoff.delay.Jitter;

/**
 * Run the experiments on overload and write down their figures.
 */
public final class Overload {

	private static final List<Double> UTILISATIONS = List.of(0.6, 0.8, 0.9);

	/* The one whose course is drawn. */
	private static final double SHOWN = 0.8;

	private static final int SEEDS = 5;

	private static final int SIMULATED_CAPACITY = 1_000;

	private static final Duration SIMULATED_HORIZON = Duration.ofMinutes(2);

	private static final int SHOWN_BEFORE = 8;

	private static final int SHOWN_AFTER = 30;

	private static final int SHOWN_HERD_BINS = 500;

	/* Below it, an experiment in real time is a trial, with fewer parts. */
	private static final int TRIAL_SECONDS = 30;

	private final Path directory;

	private final int seconds;

	private final int perSecond;

	private Overload(Path directory, int seconds, int perSecond) {
		this.directory = directory;
		this.seconds = seconds;
		this.perSecond = perSecond;
	}

	/**
	 * Run what is asked for.
	 * @param args {@code --seconds=60}, how long each experiment in real time lasts;
	 * {@code --rate=200}, the calls a second in the outage;
	 * {@code --only=outage,stall,stall-real,layers,herd,refusals};
	 * {@code --publish=<directory>}, where the figures are copied and the page is written
	 * again from them
	 * @throws Exception if an experiment fails
	 */
	public static void main(String[] args) throws Exception {
		int seconds = Integer.parseInt(option(args, "seconds", "60"));
		int perSecond = Integer.parseInt(option(args, "rate", "200"));
		Set<String> only = new TreeSet<>(
				List.of(option(args, "only", "outage,stall,stall-real,layers,herd,refusals").split(",")));
		Path directory = Files.createDirectories(Path.of("overload").toAbsolutePath());
		clear(directory);
		Overload overload = new Overload(directory, seconds, perSecond);
		overload.run(only);
		String docs = option(args, "publish", "");
		if (!docs.isEmpty()) {
			publish(directory, Path.of(docs));
		}
	}

	private static String option(String[] args, String name, String unless) {
		String prefix = "--" + name + "=";
		return Stream.of(args)
			.filter((arg) -> arg.startsWith(prefix))
			.map((arg) -> arg.substring(prefix.length()))
			.findFirst()
			.orElse(unless);
	}

	/* So that no figures of an earlier run are published with those of this one. */
	private static void clear(Path directory) throws IOException {
		for (Path file : figures(directory)) {
			Files.delete(file);
		}
	}

	private static List<Path> figures(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.filter((path) -> path.toString().endsWith(".csv")).toList();
		}
	}

	private static void publish(Path directory, Path docs) throws IOException {
		Path figures = Files.createDirectories(docs.resolve("overload"));
		for (Path file : figures(directory)) {
			Files.copy(file, figures.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
		}
		OverloadPage.of(figures).write(docs);
	}

	private void run(Set<String> only) throws Exception {
		if (only.contains("layers")) {
			layers();
		}
		if (only.contains("herd")) {
			herd();
		}
		if (only.contains("refusals")) {
			refusals();
		}
		if (only.contains("stall")) {
			stall();
		}
		if (only.contains("stall-real")) {
			realStall();
		}
		if (only.contains("outage")) {
			OutageExperiment.run(List.of(Contender.values()), this.perSecond, this.seconds, this.directory);
		}
	}

	private void layers() throws IOException {
		Csv.write(this.directory.resolve("layers.csv"), "contender,leaf_calls",
				Stream.of(NestedLayers.values()).map((layers) -> layers.label() + "," + layers.leafCalls()).toList());
	}

	private void refusals() throws IOException {
		List<String> rows = new ArrayList<>();
		for (Refusal refusal : Refusal.values()) {
			Refusal.Times times = refusal.measure();
			rows.add(format("%s,%.1f,%.1f,%.1f", refusal.label(), times.median(), times.p99(), times.p9999()));
		}
		Csv.write(this.directory.resolve("refusals.csv"), "by,median_us,p99_us,p9999_us", rows);
	}

	private void herd() throws IOException {
		List<String> shares = Stream
			.of(Jitter.none(), Jitter.proportional(0.2), Jitter.beta(0.3, 0.7), Jitter.equal(), Jitter.beta(0, 1),
					Jitter.full())
			.map((jitter) -> format("%s,%.4f", jitter, Herd.run(jitter, 1).fullestBinShare(Duration.ofMillis(500))))
			.toList();
		Csv.write(this.directory.resolve("herd.csv"), "jitter,fullest_bin_share", shares);
		Herd none = Herd.run(Jitter.none(), 1);
		Herd full = Herd.run(Jitter.full(), 1);
		Csv.write(this.directory.resolve("herd-bins.csv"), "milliseconds,none,full",
				IntStream.range(0, SHOWN_HERD_BINS)
					.mapToObj((bin) -> bin * Herd.BIN_MILLIS + "," + none.requests(bin) + "," + full.requests(bin))
					.toList());
	}

	private void stall() throws IOException {
		List<String> rows = new ArrayList<>();
		List<String> shown = new ArrayList<>();
		for (double utilisation : UTILISATIONS) {
			for (RetryLimit limit : List.of(RetryLimit.NO_RETRIES, RetryLimit.DEFAULT_BUDGET, RetryLimit.PER_SUCCESS,
					RetryLimit.perFirst(0.1), RetryLimit.perFirst(0.2), RetryLimit.perFirst(0.3),
					RetryLimit.NO_BUDGET)) {
				List<StallFigures> runs = IntStream.rangeClosed(1, SEEDS)
					.mapToObj((seed) -> StallSimulation.run(utilisation, SIMULATED_CAPACITY, SIMULATED_HORIZON, limit,
							seed))
					.toList();
				double[] sorted = runs.stream()
					.mapToDouble((run) -> run.recoverySeconds().orElse(Double.POSITIVE_INFINITY))
					.sorted()
					.toArray();
				double load = runs.stream().mapToDouble(StallFigures::loadUntilBack).sorted().toArray()[SEEDS / 2];
				rows.add(format("%s,%s,%s,%s,%s,%.2f", utilisation, limit.label(), sorted[0], sorted[SEEDS / 2],
						sorted[SEEDS - 1], load));
				if (utilisation == SHOWN) {
					shown.addAll(course(limit, runs.get(0)));
				}
			}
		}
		Csv.write(this.directory.resolve("stall.csv"),
				"utilisation,limit,least_seconds,median_seconds,most_seconds,load", rows);
		Csv.write(this.directory.resolve("stall-seconds.csv"), "limit,second,goodput,load", shown);
	}

	private void realStall() throws IOException, InterruptedException, ExecutionException {
		boolean trial = this.seconds < TRIAL_SECONDS;
		StallExperiment.Times times = new StallExperiment.Times(Duration.ofSeconds(trial ? 2 : 10),
				Duration.ofSeconds(3), Duration.ofSeconds(this.seconds));
		List<RetryLimit> limits = List.of(RetryLimit.NO_RETRIES,
				RetryLimit.DEFAULT_BUDGET.withTokens(StallExperiment.TOKENS), RetryLimit.NO_BUDGET);
		List<String> rows = new ArrayList<>();
		List<String> shown = new ArrayList<>();
		ExecutorService threads = Executors.newFixedThreadPool(limits.size());
		try {
			for (double utilisation : trial ? List.of(SHOWN) : UTILISATIONS) {
				List<Callable<StallFigures>> runs = limits.stream()
					.map((limit) -> (Callable<StallFigures>) () -> StallExperiment.run(utilisation, limit, times,
							this.directory.resolve("stall-server.log"), 1))
					.toList();
				List<Future<StallFigures>> done = threads.invokeAll(runs);
				for (int i = 0; i < limits.size(); i++) {
					StallFigures figures = done.get(i).get();
					rows.add(format("%s,%s,%s,%.2f", utilisation, limits.get(i).label(),
							figures.recoverySeconds().orElse(Double.POSITIVE_INFINITY), figures.loadUntilBack()));
					if (utilisation == SHOWN) {
						shown.addAll(course(limits.get(i), figures));
					}
				}
			}
		}
		finally {
			threads.shutdownNow();
		}
		Csv.write(this.directory.resolve("stall-real.csv"), "utilisation,limit,seconds,load", rows);
		Csv.write(this.directory.resolve("stall-real-seconds.csv"), "limit,second,goodput,load", shown);
	}

	private static List<String> course(RetryLimit limit, StallFigures figures) {
		return IntStream.rangeClosed(-SHOWN_BEFORE, SHOWN_AFTER)
			.filter(figures::covers)
			.mapToObj((second) -> format("%s,%d,%.3f,%.3f", limit.label(), second, figures.goodput(second),
					figures.load(second)))
			.toList();
	}

	private static String format(String pattern, Object... args) {
		return String.format(Locale.ROOT, pattern, args);
	}

}
