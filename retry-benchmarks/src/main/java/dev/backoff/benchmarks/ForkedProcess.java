package dev.backoff.benchmarks;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** A Java process with the class path of this one. It ends with this object. */
public final class ForkedProcess implements AutoCloseable {

	private final Process process;

	private ForkedProcess(Process process) {
		this.process = process;
	}

	/**
	 * Start a process.
	 * @param main the class to run
	 * @param options for the virtual machine
	 * @param log where its output and its errors go
	 * @param args for the class
	 * @return the process
	 * @throws IOException if it cannot be started
	 */
	public static ForkedProcess start(Class<?> main, List<String> options, Path log, String... args)
			throws IOException {
		return new ForkedProcess(command(main, options, classPath(), args).redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start());
	}

	/**
	 * Start a process whose output is {@linkplain #readLine() read}.
	 * @param main the class to run
	 * @param options for the virtual machine
	 * @param log where its errors go
	 * @param args for the class
	 * @return the process
	 * @throws IOException if it cannot be started
	 */
	public static ForkedProcess startTalking(Class<?> main, List<String> options, Path log, String... args)
			throws IOException {
		return startTalking(main, options, classPath(), log, args);
	}

	/**
	 * Start a process whose output is {@linkplain #readLine() read}, with a class path of
	 * its own.
	 * @param main the class to run
	 * @param options for the virtual machine
	 * @param classPath the class path
	 * @param log where its errors go
	 * @param args for the class
	 * @return the process
	 * @throws IOException if it cannot be started
	 */
	public static ForkedProcess startTalking(Class<?> main, List<String> options, String classPath, Path log,
			String... args) throws IOException {
		return new ForkedProcess(command(main, options, classPath, args).redirectError(log.toFile()).start());
	}

	private static ProcessBuilder command(Class<?> main, List<String> options, String classPath, String... args) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(options);
		command.add("-cp");
		command.add(classPath);
		command.add(main.getName());
		command.addAll(List.of(args));
		return new ProcessBuilder(command);
	}

	/**
	 * Return the class path of this process.
	 * @return the class path, which surefire hides in a manifest, and tells besides
	 */
	public static String classPath() {
		return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path", ""));
	}

	/**
	 * Return the next line of its output.
	 * @return the line
	 * @throws IOException if there is none
	 */
	public String readLine() throws IOException {
		BufferedReader reader = this.process.inputReader(StandardCharsets.UTF_8);
		return Objects.requireNonNull(reader.readLine(), "The process ended without a word.");
	}

	/**
	 * Write a line to its input.
	 * @param line the line
	 * @throws IOException if it does not listen
	 */
	public void writeLine(String line) throws IOException {
		BufferedWriter writer = this.process.outputWriter(StandardCharsets.UTF_8);
		writer.write(line);
		writer.newLine();
		writer.flush();
	}

	/**
	 * Wait for its end.
	 * @param seconds how long at most
	 * @throws IOException if it failed or did not end
	 * @throws InterruptedException if interrupted
	 */
	public void await(long seconds) throws IOException, InterruptedException {
		if (!this.process.waitFor(seconds, TimeUnit.SECONDS)) {
			throw new IOException("Not done after " + seconds + " s.");
		}
		if (this.process.exitValue() != 0) {
			throw new IOException("Failed with " + this.process.exitValue() + ".");
		}
	}

	@Override
	public void close() {
		this.process.destroy();
	}

}
