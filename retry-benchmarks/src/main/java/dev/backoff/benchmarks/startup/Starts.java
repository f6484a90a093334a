package dev.backoff.benchmarks.startup;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.backoff.benchmarks.ForkedProcess;

/** Starts of applications, each in a process of its own, in turns. */
final class Starts {

	private static final long SECONDS = 60;

	private static final List<String> OPTIONS = List.of("-Xms1g", "-Xmx1g");

	private static final Pattern STARTER = Pattern
		.compile(".*[/\\\\]retry-(core|spring-boot-starter)([/\\\\]target[/\\\\].*|-[^/\\\\]*\\.jar)");

	private static final Pattern ACTUATOR = Pattern
		.compile(".*[/\\\\](spring-boot-(starter-)?(actuator|health|micrometer)|micrometer-(core|jakarta9)|HdrHistogram"
				+ "|LatencyUtils)[^/\\\\]*\\.jar");

	/* What other experiments need. */
	private static final Pattern PEERS = Pattern.compile(
			".*[/\\\\](resilience4j|spring-retry|failsafe|aspectj|vavr|spring-boot-(starter-)?(aspectj|restclient|http-client))"
					+ "[^/\\\\]*\\.jar|.*[/\\\\]retry-simulator([/\\\\]target[/\\\\].*|-[^/\\\\]*\\.jar)");

	private final Map<Application, List<Start>> starts = new LinkedHashMap<>();

	private final Path directory;

	private final List<String> options;

	Starts(Path directory, String... options) {
		this.directory = directory;
		this.options = Stream.concat(OPTIONS.stream(), Stream.of(options)).toList();
	}

	/**
	 * Start applications.
	 * @param applications which
	 * @param forks how often each
	 * @param directory where generated classes and logs go
	 * @param options more options for the virtual machine
	 */
	static Starts of(Collection<Application> applications, int forks, Path directory, String... options)
			throws IOException, InterruptedException {
		Starts starts = new Starts(directory, options);
		starts.generate(applications);
		for (int i = 0; i < forks; i++) {
			for (Application application : applications) {
				starts.start(application);
			}
		}
		return starts;
	}

	private void generate(Collection<Application> applications) throws IOException {
		int beans = applications.stream().mapToInt(Application::beans).max().orElse(0);
		// there is a class, even if it is no bean
		int classes = Math.max(1, beans);
		Set<String> annotations = new LinkedHashSet<>();
		for (Application application : applications) {
			String annotation = application.contender().annotation();
			if (annotations.add(annotation)) {
				GeneratedBeans.compile(annotation, classes, classesWith(annotation), ForkedProcess.classPath());
			}
		}
	}

	private Path classesWith(String annotation) {
		return this.directory.resolve("beans" + annotation.replaceAll("[^\\w]+", "-"));
	}

	private void start(Application application) throws IOException, InterruptedException {
		Contender contender = application.contender();
		String classPath = Stream.concat(Stream.of(classesWith(contender.annotation()).resolve("classes").toString()),
				Stream.of(ForkedProcess.classPath().split(File.pathSeparator, -1))
					.filter((entry) -> isOn(entry, contender)))
			.collect(Collectors.joining(File.pathSeparator));
		Path log = this.directory.resolve("errors-" + contender + ".log");
		try (ForkedProcess process = ForkedProcess.startTalking(StartedApplication.class, this.options, classPath, log,
				contender.name(), Integer.toString(application.beans()), Boolean.toString(application.web()))) {
			String line = process.readLine();
			while (!Start.isLine(line)) {
				line = process.readLine();
			}
			note(application, Start.of(line));
			process.await(SECONDS);
		}
	}

	void note(Application application, Start start) {
		this.starts.computeIfAbsent(application, (key) -> new ArrayList<>()).add(start);
	}

	private static boolean isOn(String entry, Contender contender) {
		return !PEERS.matcher(entry).matches() && (contender.hasStarter() || !STARTER.matcher(entry).matches())
				&& (contender.hasActuator() || !ACTUATOR.matcher(entry).matches());
	}

	/** Return the least of all starts of an application. */
	long least(Application application, ToLongFunction<Start> figure) {
		return figures(application, figure).get(0);
	}

	/** Return the middle of all starts of an application. */
	long median(Application application, ToLongFunction<Start> figure) {
		List<Long> figures = figures(application, figure);
		return figures.get(figures.size() / 2);
	}

	private List<Long> figures(Application application, ToLongFunction<Start> figure) {
		return this.starts.getOrDefault(application, List.of()).stream().map(figure::applyAsLong).sorted().toList();
	}

}
