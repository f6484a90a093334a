package dev.backoff.benchmarks.outage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

import dev.backoff.benchmarks.ForkedProcess;

/**
 * A total outage: a real server that fails everything, and each contender in turn in a
 * process of its own, under the same open load.
 */
public final class OutageExperiment {

	/** The first line of the totals. */
	static final String TOTALS = "contender,seconds,calls_per_second,calls,requests,requests_per_call,"
			+ "mean_call_ms,threads_begin,threads_peak,threads_end,heap_begin_mb,heap_peak_mb,heap_end_mb";

	/** The first line of the seconds. */
	static final String SECONDS = "contender,second,calls,attempts";

	private static final List<String> SERVER_OPTIONS = List.of("-Xmx128m", "-Dsun.net.httpserver.nodelay=true",
			"-Dsun.net.httpserver.maxIdleConnections=10000");

	private static final List<String> CLIENT_OPTIONS = List.of("-Xmx256m", "-XX:+UseSerialGC");

	private OutageExperiment() {
	}

	/**
	 * Run it.
	 * @param contenders who takes part
	 * @param perSecond calls a second
	 * @param seconds how long the outage lasts
	 * @param directory where {@code outage.csv}, {@code outage-seconds.csv} and the logs
	 * go
	 * @throws IOException if a process fails
	 * @throws InterruptedException if interrupted
	 */
	public static void run(Collection<Contender> contenders, int perSecond, int seconds, Path directory)
			throws IOException, InterruptedException {
		Path totals = Files.writeString(directory.resolve("outage.csv"), TOTALS + "\n", StandardCharsets.UTF_8);
		Path series = Files.writeString(directory.resolve("outage-seconds.csv"), SECONDS + "\n",
				StandardCharsets.UTF_8);
		for (Contender contender : contenders) {
			String name = contender.name().toLowerCase(Locale.ROOT);
			try (ForkedProcess server = ForkedProcess.startTalking(OutageServer.class, SERVER_OPTIONS,
					directory.resolve("outage-server.log"));
					ForkedProcess client = ForkedProcess.start(OutageClient.class, CLIENT_OPTIONS,
							directory.resolve("outage-" + name + ".log"), contender.name(), server.readLine(),
							Integer.toString(perSecond), Integer.toString(seconds), totals.toString(),
							series.toString())) {
				client.await(seconds + 60);
			}
		}
	}

}
