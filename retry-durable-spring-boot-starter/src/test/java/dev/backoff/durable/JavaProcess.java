package dev.backoff.durable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Processes with the class path of the tests, and the files to which they append. */
final class JavaProcess {

	static Process start(Class<?> main, Path log, Map<String, String> environment, List<String> options,
			List<String> arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC", "-Xmx200m", "-cp", System.getProperty("java.class.path")));
		command.addAll(options);
		command.add(main.getName());
		command.addAll(arguments);
		ProcessBuilder process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
		process.environment().putAll(environment);
		return process.start();
	}

	/** Return the lines of all files whose names begin so. */
	static List<String> lines(Path directory, String prefix) throws IOException {
		List<String> lines = new ArrayList<>();
		try (Stream<Path> files = Files.list(directory)) {
			for (Path file : files.filter((path) -> path.getFileName().toString().startsWith(prefix)).toList()) {
				lines.addAll(Files.readAllLines(file));
			}
		}
		return lines;
	}

}
