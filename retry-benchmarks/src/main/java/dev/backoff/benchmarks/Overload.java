package dev.backoff.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
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

import dev.backoff.benchmarks.fleet.FleetBudget;
import dev.backoff.benchmarks.fleet.FleetExperiment;
import dev.backoff.benchmarks.fleet.FleetStall;
import dev.backoff.benchmarks.layers.NestedLayers;
import dev.backoff.benchmarks.outage.Contender;
import dev.backoff.benchmarks.outage.OutageExperiment;
import dev.backoff.benchmarks.quota.QuotaExperiment;
import dev.backoff.benchmarks.refusals.Refusal;
import dev.backoff.benchmarks.report.Csv;
import dev.backoff.benchmarks.report.OverloadPage;
import dev.backoff.benchmarks.report.PacePage;
import dev.backoff.benchmarks.stall.RetryLimit;
import dev.backoff.benchmarks.stall.StallExperiment;
import dev.backoff.delay.Jitter;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.simulator.Course;
import dev.backoff.simulator.Effect;
import dev.backoff.simulator.Herd;
import dev.backoff.simulator.SimulatedPolicy;

/** Run the experiments on overload and write down their figures. */
public final class Overload {

	private static final List<Double> UTILISATIONS = List.of(0.6, 0.8, 0.9);

	/* The one whose course is drawn. */
	private static final double SHOWN = 0.8;

	private static final int SIMULATED_CAPACITY = 1_000;

	private static final int HERD = 10_000;

	private static final Duration HERD_BIN = Duration.ofMillis(10);

	/* All capped delays together are 22.7 s. */
	private static final Duration HERD_TIME = Duration.ofSeconds(24);

	private static final int SHOWN_BEFORE = 8;

	private static final int SHOWN_AFTER = 30;

	private static final int SHOWN_HERD_BINS = 500;

	private static final int FLEET_OUTAGE = 16;

	private static final List<Integer> PROCESSES = List.of(1, 10, 60, 200, 600);

	/* For more, the machine would need too much memory. */
	private static final int REAL_PROCESSES = 60;

	/* Below it, an experiment in real time is a trial, with fewer parts. */
	private static final int TRIAL_SECONDS = 30;

	private static final List<RetryLimit> REAL_LIMITS = List.of(RetryLimit.NO_RETRIES,
			RetryLimit.DEFAULT_BUDGET.withTokens(StallExperiment.TOKENS), RetryLimit.NO_BUDGET);

	private static final String QUOTA = "quota.csv";

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
	 * {@code --only=outage,stall,stall-real,fleet,fleet-real,layers,herd,refusals,quota};
	 * {@code --publish=<directory>}, where the figures are copied and the pages are
	 * written again from them
	 * @throws Exception if an experiment fails
	 */
	public static void main(String[] args) throws Exception {
		int seconds = Integer.parseInt(option(args, "seconds", "60"));
		int perSecond = Integer.parseInt(option(args, "rate", "200"));
		Set<String> only = new TreeSet<>(
				List.of(option(args, "only", "outage,stall,stall-real,fleet,fleet-real,layers,herd,refusals,quota")
					.split(",")));
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
		Path figures = docs.resolve("overload");
		for (Path file : figures(directory)) {
			Path kept = file.endsWith(QUOTA) ? docs.resolve("pace") : figures;
			Files.copy(file, kept.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
		}
		OverloadPage.of(figures).write(docs);
		PacePage.of(docs.resolve("pace").resolve(QUOTA)).write(docs);
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
		if (only.contains("fleet")) {
			fleet();
		}
		if (only.contains("stall-real")) {
			realStall();
		}
		if (only.contains("fleet-real")) {
			realFleet();
		}
		if (only.contains("quota")) {
			// longer, since the burst lasts for ten seconds
			Csv.write(this.directory.resolve(QUOTA), QuotaExperiment.FIELDS,
					QuotaExperiment.run(Duration.ofSeconds(this.seconds * 3L / 2)));
		}
		if (only.contains("outage")) {
			OutageExperiment.run(EnumSet.complementOf(EnumSet.of(Contender.RESILIENCE4J_WITH_BREAKER)), this.perSecond,
					this.seconds, this.directory);
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
			.map((jitter) -> format("%s,%.4f", jitter, herd(jitter).fullestShare(Duration.ofMillis(500), HERD_TIME)))
			.toList();
		Csv.write(this.directory.resolve("herd.csv"), "jitter,fullest_bin_share", shares);
		int[] none = herd(Jitter.none()).retries(HERD_BIN, HERD_TIME);
		int[] full = herd(Jitter.full()).retries(HERD_BIN, HERD_TIME);
		Csv.write(this.directory.resolve("herd-bins.csv"), "milliseconds,none,full",
				IntStream.range(0, SHOWN_HERD_BINS)
					.mapToObj((bin) -> bin * HERD_BIN.toMillis() + "," + none[bin] + "," + full[bin])
					.toList());
	}

	private static Herd herd(Jitter jitter) {
		return Herd.of(
				SimulatedPolicy
					.of(RetryPolicy.builder("herd").maxAttempts(9).cap(Duration.ofSeconds(10)).jitter(jitter), null),
				HERD, Duration.ZERO, 1);
	}

	private void stall() throws IOException {
		List<String> rows = new ArrayList<>();
		List<String> shown = new ArrayList<>();
		for (double utilisation : UTILISATIONS) {
			for (RetryLimit limit : List.of(RetryLimit.NO_RETRIES, RetryLimit.DEFAULT_BUDGET, RetryLimit.PER_SUCCESS,
					RetryLimit.perFirst(0.1), RetryLimit.perFirst(0.2), RetryLimit.perFirst(0.3),
					RetryLimit.NO_BUDGET)) {
				Effect effect = limit.simulate(utilisation, SIMULATED_CAPACITY);
				rows.add(format("%s,%s,%s,%.2f", utilisation, limit.label(), effect.recoverySeconds(),
						effect.loadUntilRecovery()));
				if (utilisation == SHOWN) {
					shown.addAll(course(limit, effect.course()));
				}
			}
		}
		Csv.write(this.directory.resolve("stall.csv"), "utilisation,limit,median_seconds,load", rows);
		Csv.write(this.directory.resolve("stall-seconds.csv"), "limit,second,goodput,load", shown);
		Csv.write(this.directory.resolve("stall-real-simulated.csv"), "utilisation,limit,seconds",
				UTILISATIONS.stream()
					.flatMap((utilisation) -> REAL_LIMITS.stream()
						.map((limit) -> utilisation + "," + limit.label() + ","
								+ limit.simulate(utilisation, StallExperiment.CAPACITY).recoverySeconds()))
					.toList());
	}

	private void fleet() throws IOException {
		Csv.write(this.directory.resolve("fleet-stall-simulated.csv"), "processes,seconds,load,seconds_without_retries",
				PROCESSES.stream().map((processes) -> {
					Effect effect = FleetStall.simulate(4, processes);
					return format("%d,%s,%.2f,%s", processes, effect.recoverySeconds(), effect.loadUntilRecovery(),
							FleetStall.simulate(1, processes).recoverySeconds());
				}).toList());
		Csv.write(this.directory.resolve("fleet.csv"),
				"bucket,load_16s,load_60s,success_120s,success_600s,attempts_of_rare_calls",
				Stream.of(FleetBudget.values())
					.map((budget) -> format("%s,%.2f,%.2f,%.3f,%.3f,%.2f", budget.label(),
							budget.loadInOutage(FLEET_OUTAGE), budget.loadInOutage(60),
							budget.successAmongFailures(120), budget.successAmongFailures(600),
							budget.attemptsOfRareCalls()))
					.toList());
	}

	private void realFleet() throws IOException, InterruptedException {
		Duration outage = Duration.ofSeconds((this.seconds < TRIAL_SECONDS) ? 2 : FLEET_OUTAGE);
		List<String> rows = new ArrayList<>();
		for (FleetBudget budget : FleetBudget.values()) {
			rows.add(format("%s,%.2f", budget.label(),
					FleetExperiment.loadInOutage(budget, outage, this.directory.resolve("fleet-server.log"))));
		}
		Csv.write(this.directory.resolve("fleet-real.csv"), "bucket,load_16s", rows);
		realFleetStall();
	}

	/* The others get twice the time, since a breaker may stay open for a minute. */
	private void realFleetStall() throws IOException, InterruptedException {
		boolean trial = this.seconds < TRIAL_SECONDS;
		List<String> rows = new ArrayList<>();
		for (Contender contender : List.of(Contender.BACKOFF, Contender.FRAMEWORK,
				Contender.RESILIENCE4J_WITH_BREAKER)) {
			boolean ours = contender == Contender.BACKOFF;
			StallExperiment.Times times = new StallExperiment.Times(Duration.ofSeconds(trial ? 2 : 10),
					Duration.ofSeconds(3), Duration.ofSeconds(ours ? this.seconds : 2L * this.seconds));
			for (int processes : (ours && !trial) ? PROCESSES : List.of(REAL_PROCESSES)) {
				if (processes <= REAL_PROCESSES) {
					Course course = FleetStall.run(contender, processes, times, this.directory);
					rows.add(format("%s,%d,%s,%.2f", contender.label(), processes,
							course.recoverySeconds().orElse(Double.POSITIVE_INFINITY), course.loadUntilBack()));
				}
			}
		}
		Csv.write(this.directory.resolve("fleet-stall.csv"), "contender,processes,seconds,load", rows);
	}

	private void realStall() throws IOException, InterruptedException, ExecutionException {
		boolean trial = this.seconds < TRIAL_SECONDS;
		StallExperiment.Times times = new StallExperiment.Times(Duration.ofSeconds(trial ? 2 : 10),
				Duration.ofSeconds(3), Duration.ofSeconds(this.seconds));
		List<String> rows = new ArrayList<>();
		List<String> shown = new ArrayList<>();
		ExecutorService threads = Executors.newFixedThreadPool(REAL_LIMITS.size());
		try {
			for (double utilisation : trial ? List.of(SHOWN) : UTILISATIONS) {
				List<Callable<Course>> runs = REAL_LIMITS.stream()
					.map((limit) -> (Callable<Course>) () -> StallExperiment.run(utilisation, limit, times,
							this.directory.resolve("stall-server.log"), 1))
					.toList();
				List<Future<Course>> done = threads.invokeAll(runs);
				for (int i = 0; i < REAL_LIMITS.size(); i++) {
					Course figures = done.get(i).get();
					rows.add(format("%s,%s,%s,%.2f", utilisation, REAL_LIMITS.get(i).label(),
							figures.recoverySeconds().orElse(Double.POSITIVE_INFINITY), figures.loadUntilBack()));
					if (utilisation == SHOWN) {
						shown.addAll(course(REAL_LIMITS.get(i), figures));
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

	private static List<String> course(RetryLimit limit, Course figures) {
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
