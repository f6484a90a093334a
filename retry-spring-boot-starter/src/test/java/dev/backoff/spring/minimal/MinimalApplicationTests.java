package dev.backoff.spring.minimal;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.backoff.Retry;
import dev.backoff.spring.advice.BackoffMethods;

import static org.assertj.core.api.Assertions.assertThat;

/** Real processes on class paths that really lack a library. */
class MinimalApplicationTests {

	/** The jars an application has because of one thing it wants. */
	private enum Part {

		STARTER("spring-(core|beans|aop|context|expression)", "spring-boot", "spring-boot-autoconfigure",
				"spring-boot-starter(-logging)?", "micrometer-(commons|observation)", "commons-logging", "jspecify",
				"slf4j-api", "logback-.*", "log4j-.*", "jul-to-slf4j", "jakarta.annotation-api", "snakeyaml"),

		ACTUATOR("spring-boot-(starter-)?actuator(-autoconfigure)?", "spring-boot-health"),

		MICROMETER("micrometer-(core|jakarta9|registry-prometheus)", "prometheus-metrics-.*", "HdrHistogram",
				"spring-boot-(starter-)?micrometer-(metrics|observation)"),

		ASPECTJ("aspectjweaver"),

		WEB("spring-web", "spring-webmvc", "spring-boot-(starter-)?(webmvc|servlet|tomcat|web-server|tomcat-runtime)",
				"spring-boot-(starter-)?(jackson|http-converter|http-client|restclient)", "tomcat-embed-.*",
				"jackson-.*"),

		DATABASE("spring-(jdbc|tx)", "spring-boot-(starter-)?(jdbc|sql|transaction|persistence)", "HikariCP", "h2"),

		REACTOR("reactor-(core|netty-.*)", "reactive-streams", "netty-.*", "context-propagation"),

		WEB_CLIENT("spring-webflux", "spring-boot-(starter-)?(webclient|reactor|http-codec|netty)");

		private final Pattern names;

		Part(String... names) {
			this.names = Pattern.compile("(" + String.join("|", names) + ")-[0-9].*\\.jar");
		}

		boolean has(Path jar) {
			return this.names.matcher(String.valueOf(jar.getFileName())).matches();
		}

	}

	/** What an application does without, and a class by which one knows. */
	enum Application {

		WITHOUT_ACTUATOR("org.springframework.boot.actuate.endpoint.annotation.Endpoint", "endpoint false, meters true",
				Part.ACTUATOR),

		WITHOUT_MICROMETER("io.micrometer.core.instrument.MeterRegistry", "endpoint true, meters false",
				Part.MICROMETER),

		WITHOUT_ASPECTJ("org.aspectj.weaver.Advice", "endpoint true, meters true", Part.ASPECTJ),

		WITHOUT_WEB("org.springframework.web.client.RestClientException", "endpoint true, meters true", Part.WEB,
				Part.WEB_CLIENT),

		WITHOUT_DATABASE("org.springframework.dao.DataAccessException", "endpoint true, meters true", Part.DATABASE),

		WITHOUT_REACTOR("reactor.core.publisher.Mono", "endpoint true, meters true", Part.REACTOR, Part.WEB_CLIENT),

		WITH_NOTHING_BUT_THE_STARTER("org.springframework.dao.DataAccessException", "endpoint false, meters false",
				EnumSet.complementOf(EnumSet.of(Part.STARTER)).toArray(Part[]::new));

		private final String absent;

		private final String shows;

		@SuppressWarnings("ImmutableEnumChecker") // a set that nothing changes
		private final Set<Part> parts;

		Application(String absent, String shows, Part... without) {
			this.absent = absent;
			this.shows = shows;
			this.parts = EnumSet.complementOf(EnumSet.copyOf(Arrays.asList(without)));
		}

		Set<String> absentClasses() {
			return (this != WITH_NOTHING_BUT_THE_STARTER) ? Set.of(this.absent)
					: Stream.of(values()).map((application) -> application.absent).collect(Collectors.toSet());
		}

	}

	private static final Map<Application, Future<List<String>>> OUTPUTS = new EnumMap<>(Application.class);

	@BeforeAll
	static void startAsManyAtOnceAsThereAreProcessors(@TempDir Path directory) {
		ExecutorService starts = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
		for (Application application : Application.values()) {
			OUTPUTS.put(application, starts
				.submit(() -> output(application, Files.createDirectory(directory.resolve(application.name())))));
		}
		starts.shutdown();
	}

	@ParameterizedTest
	@EnumSource
	void startsRetriesAndStops(Application application) throws Exception {
		List<String> lines = OUTPUTS.get(application).get(5, TimeUnit.MINUTES);
		assertThat(lines)
			.contains("RESULT o-1 at attempt 3, " + application.shows,
					"REACTIVE " + (application.parts.contains(Part.REACTOR) ? "o-2 at attempt 3" : "none"))
			.containsAll(application.absentClasses().stream().map((name) -> "ABSENT " + name).toList())
			.anyMatch((line) -> line.startsWith("COUNTED ")
					&& line.contains("method=Orders.place, " + "calls={SUCCEEDED=1}, attempts=3, retries=2, earned={"))
			.noneMatch((line) -> line.contains(" WARN ") || line.contains(" ERROR "));
	}

	private static List<String> output(Application application, Path directory) throws Exception {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC", "-Xshare:auto", "-cp", classPath(application, directory),
						MinimalApplication.class.getName(), "--server.port=0", "--spring.main.banner-mode=off",
						"--management.endpoints.web.exposure.include=backoff"));
		application.absentClasses().forEach((name) -> command.add(MinimalApplication.ABSENT + name));
		Path output = directory.resolve("output.txt");
		Process process = new ProcessBuilder(command).directory(directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		List<String> lines = Files.readAllLines(output);
		assertThat(process.exitValue()).as(String.join("\n", lines)).isZero();
		return lines;
	}

	private static String classPath(Application application, Path directory) throws IOException, URISyntaxException {
		List<Path> paths = new ArrayList<>(
				List.of(mainClasses(directory), location(BackoffMethods.class), location(Retry.class)));
		for (Path path : testClassPath()) {
			if (application.parts.stream().anyMatch((part) -> part.has(path))) {
				paths.add(path);
			}
		}
		return paths.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
	}

	private static List<Path> testClassPath() {
		String paths = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		return Stream.of(paths.split(Pattern.quote(File.pathSeparator), -1)).map(Path::of).toList();
	}

	/* The other classes of the tests would not be in an application either. */
	private static Path mainClasses(Path directory) throws IOException, URISyntaxException {
		Path classes = directory.resolve("classes");
		String folder = MinimalApplication.class.getPackageName().replace('.', '/');
		Path from = location(MinimalApplication.class).resolve(folder);
		Files.createDirectories(classes.resolve(folder));
		for (Class<?> type : List.of(MinimalApplication.class, MinimalApplication.Orders.class,
				MinimalApplication.Reactive.class, MinimalApplication.ReactiveOrders.class)) {
			String file = type.getName().substring(type.getPackageName().length() + 1) + ".class";
			Files.copy(from.resolve(file), classes.resolve(folder).resolve(file));
		}
		return classes;
	}

	private static Path location(Class<?> type) throws URISyntaxException {
		return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
	}

}
