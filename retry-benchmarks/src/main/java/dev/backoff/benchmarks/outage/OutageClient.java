package dev.backoff.benchmarks.outage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

import org.springframework.context.ConfigurableApplicationContext;

/** One contender under an outage, in a process of its own. */
public final class OutageClient {

	/* Enough that no contender waits for a thread: 200 calls/s of 0.7 s each need 140. */
	private static final int THREADS_PER_CALL_A_SECOND = 2;

	private static final int WARM_UP_SECONDS = 2;

	/* Time for calls to end after the last began; counted into the last second. */
	private static final int TAIL_SECONDS = 3;

	private static final int SETTLE_MILLIS = 1_000;

	private OutageClient() {
	}

	/**
	 * Warm up, let the server fail, call it, and write down what happened.
	 * @param args contender, port, calls a second, seconds, the file for the totals, the
	 * file for the seconds
	 * @throws Exception if the experiment fails
	 */
	public static void main(String[] args) throws Exception {
		Contender contender = Contender.valueOf(args[0]);
		int port = Integer.parseInt(args[1]);
		int perSecond = Integer.parseInt(args[2]);
		int seconds = Integer.parseInt(args[3]);
		Timeline timeline = new Timeline(seconds + TAIL_SECONDS);
		try (Dependency dependency = new Dependency(port, timeline);
				ConfigurableApplicationContext context = contender.start(dependency::call);
				OpenLoad load = new OpenLoad(THREADS_PER_CALL_A_SECOND * perSecond)) {
			DependencyCall call = context.getBean(DependencyCall.class);
			String totals = run(contender, dependency, timeline, load, call, perSecond, seconds);
			append(Path.of(args[4]), List.of(totals));
			append(Path.of(args[5]), seconds(contender, timeline));
		}
	}

	private static String run(Contender contender, Dependency dependency, Timeline timeline, OpenLoad load,
			DependencyCall call, int perSecond, int seconds) throws InterruptedException {
		Footprint footprint = new Footprint();
		footprint.watch();
		dependency.ask("/up");
		int warmUpCalls = perSecond * WARM_UP_SECONDS;
		load.run(warmUpCalls, perSecond, call::run);
		if (load.succeeded() != warmUpCalls) {
			throw new IllegalStateException(load.succeeded() + " of " + warmUpCalls + " calls of a healthy server");
		}
		load.reset();
		Thread.sleep(SETTLE_MILLIS);
		dependency.ask("/down");
		int threads = Footprint.threads();
		long heap = Footprint.heap();
		footprint.reset();
		timeline.begin();
		int calls = perSecond * seconds;
		load.run(calls, perSecond, () -> {
			timeline.call();
			call.run();
		});
		long requests = Long.parseLong(Objects.requireNonNull(dependency.ask("/count")));
		Thread.sleep(SETTLE_MILLIS);
		int threadsAtEnd = Footprint.threads();
		long heapAtEnd = Footprint.heap();
		long peakHeap = Math.max(footprint.peakHeap(), Math.max(heap, heapAtEnd));
		return String.format(Locale.ROOT, "%s,%d,%d,%d,%d,%.4f,%.1f,%d,%d,%d,%.1f,%.1f,%.1f", contender.label(),
				seconds, perSecond, calls, requests, requests / (double) calls, load.nanos() / 1e6 / calls, threads,
				footprint.peakThreads(), threadsAtEnd, heap / 1e6, peakHeap / 1e6, heapAtEnd / 1e6);
	}

	private static List<String> seconds(Contender contender, Timeline timeline) {
		List<String> lines = new ArrayList<>();
		for (int second = 0; second < timeline.seconds(); second++) {
			lines
				.add(contender.label() + "," + second + "," + timeline.calls(second) + "," + timeline.attempts(second));
		}
		return lines;
	}

	private static void append(Path file, List<String> lines) throws IOException {
		Files.write(file, lines, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
	}

}
