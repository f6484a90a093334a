package dev.backoff.benchmarks.outage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.backoff.benchmarks.report.Csv;

import static org.assertj.core.api.Assertions.assertThat;

/** A trial of two seconds with real processes, in which nothing depends on the time. */
@Tag("ci")
class OutageExperimentTests {

	private static final int PER_SECOND = 100;

	private static final int SECONDS = 2;

	private static final int CALLS = PER_SECOND * SECONDS;

	private static final Map<Contender, Path> DIRECTORIES = new ConcurrentHashMap<>();

	@BeforeAll
	static void run(@TempDir Path directory) throws InterruptedException {
		List<Thread> runs = List.of(Contender.BACKOFF, Contender.FRAMEWORK)
			.stream()
			.map((contender) -> new Thread(() -> run(contender, directory)))
			.toList();
		runs.forEach(Thread::start);
		for (Thread run : runs) {
			run.join();
		}
	}

	private static void run(Contender contender, Path directory) {
		try {
			Path own = Files.createDirectories(directory.resolve(contender.name().toLowerCase(Locale.ROOT)));
			OutageExperiment.run(List.of(contender), PER_SECOND, SECONDS, own);
			DIRECTORIES.put(contender, own);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void theDefaultsCostFiftyRetriesAndThenSixAMinute() throws IOException {
		// a minute, for a machine on which two seconds take that long
		assertThat(totals(Contender.BACKOFF).number(0, "requests")).isBetween(CALLS + 50.0, CALLS + 56.0);
	}

	@Test
	void withoutABudgetEachCallMakesAllItsAttempts() throws IOException {
		assertThat(totals(Contender.FRAMEWORK).number(0, "requests")).isGreaterThanOrEqualTo(4.0 * CALLS);
	}

	@Test
	void leavesNoThreadBehind() throws IOException {
		Csv totals = totals(Contender.BACKOFF);
		// the virtual machine's own come and go
		assertThat(totals.number(0, "threads_end")).isLessThan(totals.number(0, "threads_begin") + 4);
	}

	@Test
	void countsEachCallAndEachAttemptInItsSecond() throws IOException {
		Csv seconds = Csv.read(DIRECTORIES.get(Contender.BACKOFF).resolve("outage-seconds.csv"));
		assertThat(IntStream.range(0, seconds.size()).mapToDouble((row) -> seconds.number(row, "calls")).sum())
			.isEqualTo(CALLS);
		assertThat(IntStream.range(0, seconds.size()).mapToDouble((row) -> seconds.number(row, "attempts")).sum())
			.isEqualTo(totals(Contender.BACKOFF).number(0, "requests"));
	}

	private static Csv totals(Contender contender) throws IOException {
		assertThat(DIRECTORIES).as("runs that ended well").containsKey(contender);
		return Csv.read(DIRECTORIES.get(contender).resolve("outage.csv"));
	}

}
