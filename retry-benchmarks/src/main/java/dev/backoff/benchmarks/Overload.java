package dev.backoff.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import dev.backoff.benchmarks.outage.Contender;
import dev.backoff.benchmarks.outage.OutageExperiment;

/**
 * Run the experiments.
 */
public final class Overload {

	private Overload() {
	}

	/**
	 * Run what is asked for.
	 * @param args see {@code overload.sh}
	 * @throws IOException if an experiment fails
	 * @throws InterruptedException if interrupted
	 */
	public static void main(String[] args) throws IOException, InterruptedException {
		Path directory = Files.createDirectories(Path.of("target", "overload"));
		OutageExperiment.run(List.of(Contender.values()), 200, Integer.parseInt(args[0]), directory);
	}

}
