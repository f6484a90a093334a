package dev.backoff.refresh.cloud;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.contentOf;

/** A server of Spring Cloud Config with its own class path, for files of a directory. */
final class ConfigServerProcess implements AutoCloseable {

	private static final Pattern STARTED = Pattern.compile("Tomcat started on port (\\d+)");

	private final Path files;

	private final Path log;

	private final Process process;

	private final String address;

	private ConfigServerProcess(Path files, Path log, Process process) {
		this.files = files;
		this.log = log;
		this.process = process;
		this.address = "http://localhost:" + awaitPort();
	}

	static ConfigServerProcess start(Path directory) throws IOException {
		Path built = Path.of(System.getProperty("config-server.directory"));
		String classPath = built.resolve("classes") + File.pathSeparator
				+ Files.readString(built.resolve("class-path.txt")).strip();
		Path files = Files.createDirectories(directory.resolve("files"));
		Path log = directory.resolve("server.log");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-cp", classPath,
				"dev.backoff.refresh.server.ConfigServer", "--server.port=0", "--spring.main.banner-mode=off",
				"--spring.profiles.active=native",
				"--spring.cloud.config.server.native.search-locations=" + files.toUri())
			.directory(directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start();
		return new ConfigServerProcess(files, log, process);
	}

	private int awaitPort() {
		Awaitility.await()
			.atMost(Duration.ofMinutes(2))
			.until(() -> !this.process.isAlive() || STARTED.matcher(output()).find());
		Matcher started = STARTED.matcher(output());
		if (!started.find()) {
			throw new AssertionError(output());
		}
		return Integer.parseInt(started.group(1));
	}

	private String output() {
		return contentOf(this.log.toFile(), StandardCharsets.UTF_8);
	}

	String address() {
		return this.address;
	}

	/** Serve these properties to the application of that name, all at once. */
	void serve(String application, Map<String, String> properties) {
		try {
			Path written = Files.writeString(this.files.resolve(application + ".tmp"),
					new TreeMap<>(properties).entrySet()
						.stream()
						.map((property) -> "\"" + property.getKey() + "\": \"" + property.getValue() + "\"\n")
						.collect(Collectors.joining()));
			Path unused = Files.move(written, this.files.resolve(application + ".yml"), StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Return the lines it has logged, for a report. */
	List<String> lines() {
		return output().lines().toList();
	}

	@Override
	public void close() {
		this.process.destroy();
		try {
			if (!this.process.waitFor(60, TimeUnit.SECONDS)) {
				this.process.destroyForcibly();
			}
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

}
