package dev.backoff.benchmarks.startup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** Tables in Markdown of what a start costs. */
public final class StartupTables {

	/** Contenders whose beans are counted, the base first. */
	private static final List<Contender> WITH_BEANS = List.of(Contender.PLAIN, Contender.PROXY, Contender.FRAMEWORK,
			Contender.BACKOFF, Contender.BACKOFF_NAMED, Contender.BACKOFF_METERED, Contender.BACKOFF_UNUSED);

	/** Contenders that start without any bean. */
	private static final List<Contender> EMPTY = List.of(Contender.PLAIN, Contender.BACKOFF, Contender.ACTUATOR,
			Contender.BACKOFF_METERED);

	/* Below it, times mean nothing. */
	private static final int LEAST_FORKS = 5;

	private final int forks;

	private final Path directory;

	private final StringBuilder page = new StringBuilder();

	StartupTables(int forks, Path directory) {
		this.forks = forks;
		this.directory = directory;
		this.page.append("JDK %s, %d starts of each%n".formatted(System.getProperty("java.version"), forks));
		if (isTrial()) {
			this.page.append("\nA trial: times mean nothing.\n");
		}
	}

	/**
	 * Measure and print.
	 * @param args for instance {@code --forks=9}, {@code --beans=1000} and
	 * {@code --only=web,beans}, which these are without them
	 * @throws IOException if an application does not start
	 * @throws InterruptedException if interrupted
	 */
	public static void main(String[] args) throws IOException, InterruptedException {
		StartupTables tables = new StartupTables(Integer.parseInt(option(args, "--forks=", "9")),
				Files.createDirectories(Path.of("startup")));
		String only = option(args, "--only=", "web,beans");
		if (only.contains("web")) {
			tables.addEmptyApplication(true);
		}
		if (only.contains("beans")) {
			tables.addBeans(Integer.parseInt(option(args, "--beans=", "1000")));
		}
		System.out.print(tables.page());
	}

	private static String option(String[] args, String option, String otherwise) {
		return Stream.of(args)
			.filter((arg) -> arg.startsWith(option))
			.map((arg) -> arg.substring(option.length()))
			.findFirst()
			.orElse(otherwise);
	}

	private boolean isTrial() {
		return this.forks < LEAST_FORKS;
	}

	String page() {
		return this.page.toString();
	}

	/** Add what the starter costs an application without any bean of its own. */
	void addEmptyApplication(boolean web) throws IOException, InterruptedException {
		List<Application> applications = EMPTY.stream().map((contender) -> new Application(contender, 0, web)).toList();
		addEmptyApplication(web, Starts.of(applications, this.forks, this.directory));
	}

	void addEmptyApplication(boolean web, Starts starts) {
		Application plain = new Application(Contender.PLAIN, 0, web);
		Application ours = new Application(Contender.BACKOFF, 0, web);
		Application watched = new Application(Contender.ACTUATOR, 0, web);
		Application oursWatched = new Application(Contender.BACKOFF_METERED, 0, web);
		title("An empty " + (web ? "web " : "") + "application");
		table("application", "ms, least", "ms, median", "processor ms, least", "median", "KB allocated",
				"classes loaded");
		row(starts, "without the starter", plain);
		row(starts, "with it", ours);
		addedRow(starts, "what it adds", ours, plain);
		row(starts, "Actuator, without the starter", watched);
		row(starts, "Actuator, with it", oursWatched);
		addedRow(starts, "what it adds", oursWatched, watched);
	}

	private void row(Starts starts, String name, Application application) {
		row(name, millis(starts.least(application, Start::nanos)), millis(starts.median(application, Start::nanos)),
				millis(starts.least(application, Start::processor)),
				millis(starts.median(application, Start::processor)), starts.median(application, Start::bytes) / 1024,
				starts.median(application, Start::classes));
	}

	private void addedRow(Starts starts, String name, Application with, Application without) {
		row(name, millis(starts.least(with, Start::nanos) - starts.least(without, Start::nanos)),
				millis(starts.median(with, Start::nanos) - starts.median(without, Start::nanos)),
				millis(starts.least(with, Start::processor) - starts.least(without, Start::processor)),
				millis(starts.median(with, Start::processor) - starts.median(without, Start::processor)),
				(starts.median(with, Start::bytes) - starts.median(without, Start::bytes)) / 1024,
				starts.median(with, Start::classes) - starts.median(without, Start::classes));
	}

	/**
	 * Add what one more bean costs, each contender's fixed cost taken away: the
	 * difference of many beans and one, less that of beans without anything.
	 */
	void addBeans(int beans) throws IOException, InterruptedException {
		List<Application> applications = new ArrayList<>();
		for (Contender contender : WITH_BEANS) {
			applications.add(new Application(contender, 1, false));
			applications.add(new Application(contender, beans, false));
		}
		addBeans(beans, Starts.of(applications, this.forks, this.directory));
	}

	void addBeans(int beans, Starts starts) {
		title("An annotated method");
		table(number("%,d beans", beans), "ms with 1 bean, least", number("ms with %,d, least", beans), "median",
				"µs a bean more, least", "median", "processor µs a bean more, median", "KB a bean more",
				"classes a bean more");
		for (Contender contender : WITH_BEANS) {
			Application one = new Application(contender, 1, false);
			Application all = new Application(contender, beans, false);
			String figure = (contender == Contender.PLAIN) ? "(%s)" : "%s";
			row(contender.label(), millis(starts.least(one, Start::nanos)), millis(starts.least(all, Start::nanos)),
					millis(starts.median(all, Start::nanos)),
					figure
						.formatted(number("%,.0f", each(contender, beans, Starts::least, starts, Start::nanos) / 1e3)),
					figure
						.formatted(number("%,.0f", each(contender, beans, Starts::median, starts, Start::nanos) / 1e3)),
					figure.formatted(
							number("%,.0f", each(contender, beans, Starts::median, starts, Start::processor) / 1e3)),
					figure.formatted(kilobytes(each(contender, beans, Starts::median, starts, Start::bytes))),
					figure.formatted(number("%.1f", each(contender, beans, Starts::median, starts, Start::classes))));
		}
		addRatios(starts, beans);
	}

	/* Times of a trial say nothing beside each other; bytes do. */
	private void addRatios(Starts starts, int beans) {
		this.page.append('\n');
		List<String> columns = new ArrayList<>(List.of("against Framework, for each annotated method"));
		if (!isTrial()) {
			columns.addAll(List.of("time, least", "time, median"));
		}
		columns.addAll(List.of("bytes", "bytes besides the proxy"));
		table(columns.toArray(String[]::new));
		for (Contender contender : List.of(Contender.BACKOFF, Contender.BACKOFF_NAMED, Contender.BACKOFF_METERED)) {
			List<Object> cells = new ArrayList<>(List.of(contender.label()));
			if (!isTrial()) {
				cells.add(ratio(contender, beans, Starts::least, starts, Start::nanos));
				cells.add(ratio(contender, beans, Starts::median, starts, Start::nanos));
			}
			cells.add(ratio(contender, beans, Starts::median, starts, Start::bytes));
			double bytes = each(contender, beans, Starts::median, starts, Start::bytes);
			double ofFramework = each(Contender.FRAMEWORK, beans, Starts::median, starts, Start::bytes);
			double ofProxy = each(Contender.PROXY, beans, Starts::median, starts, Start::bytes);
			cells.add(number("%.2f", (bytes - ofProxy) / (ofFramework - ofProxy)));
			row(cells.toArray());
		}
	}

	private static String ratio(Contender contender, int beans, Choice choice, Starts starts,
			ToLongFunction<Start> figure) {
		return number("%.2f", each(contender, beans, choice, starts, figure)
				/ each(Contender.FRAMEWORK, beans, choice, starts, figure));
	}

	private static double each(Contender contender, int beans, Choice choice, Starts starts,
			ToLongFunction<Start> figure) {
		return slope(contender, beans, choice, starts, figure)
				- ((contender == Contender.PLAIN) ? 0 : slope(Contender.PLAIN, beans, choice, starts, figure));
	}

	private static double slope(Contender contender, int beans, Choice choice, Starts starts,
			ToLongFunction<Start> figure) {
		long more = choice.of(starts, new Application(contender, beans, false), figure)
				- choice.of(starts, new Application(contender, 1, false), figure);
		return more / (beans - 1.0);
	}

	private void title(String title) {
		this.page.append("\n## ").append(title).append("\n\n");
	}

	private void table(String... columns) {
		this.page.append("| ").append(String.join(" | ", columns)).append(" |\n|");
		this.page.append(" --- |".repeat(columns.length)).append('\n');
	}

	private void row(Object... cells) {
		this.page.append('|');
		for (Object cell : cells) {
			this.page.append(' ')
				.append((cell instanceof Long number) ? number("%,d", number) : cell.toString())
				.append(" |");
		}
		this.page.append('\n');
	}

	private static String millis(long nanos) {
		return number("%,.0f", nanos / 1e6);
	}

	private static String kilobytes(double bytes) {
		double kilobytes = bytes / 1024;
		return number((kilobytes < 100) ? "%,.1f" : "%,.0f", kilobytes);
	}

	private static String number(String format, Object number) {
		return String.format(Locale.ROOT, format, number).replace('-', '−');
	}

	/** The least or the median. */
	@FunctionalInterface
	private interface Choice {

		long of(Starts starts, Application application, ToLongFunction<Start> figure);

	}

}
