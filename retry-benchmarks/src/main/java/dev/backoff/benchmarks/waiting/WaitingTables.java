package dev.backoff.benchmarks.waiting;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Tables in Markdown of what waiting costs. */
public final class WaitingTables {

	private static final Duration SPREAD = Duration.ofSeconds(10);

	private WaitingTables() {
	}

	/**
	 * Measure and print.
	 * @param args for instance {@code --calls=100000,1000000} and
	 * {@code --sleepers=10000,100000}, which these are without them
	 * @throws InterruptedException if interrupted
	 */
	public static void main(String[] args) throws InterruptedException {
		System.out.print(write(numbers(args, "--calls=", "100000,1000000"),
				numbers(args, "--sleepers=", "10000,100000"), SPREAD));
	}

	private static List<Integer> numbers(String[] args, String option, String otherwise) {
		String numbers = Stream.of(args)
			.filter((arg) -> arg.startsWith(option))
			.map((arg) -> arg.substring(option.length()))
			.findFirst()
			.orElse(otherwise);
		return Stream.of(numbers.split(",", -1)).map(Integer::valueOf).toList();
	}

	static String write(List<Integer> calls, List<Integer> sleepers, Duration spread) throws InterruptedException {
		StringBuilder page = new StringBuilder("JDK " + System.getProperty("java.version") + "\n");
		table(page, "Asynchronous calls that wait", "a call that waits", "calls", "bytes",
				"threads beyond those before", "bytes of each that are left after all are cancelled", "ns to start",
				"ns to cancel");
		for (int number : calls) {
			rowOf(page, "by `Retry.callAsync`", AsyncWaits.of(number));
			rowOf(page, "by an annotated method", AsyncWaits.ofAnnotated(number));
		}
		table(page, "The timer alone", "timer", "entries", "bytes", "ns to insert", "ns to cancel, in any order");
		for (int number : calls) {
			for (Timers timer : List.of(Timers.ours(number), Timers.ofTheJdk(number))) {
				row(page, timer.timer(), timer.entries(), timer.bytes(), timer.insertNanos(), timer.cancelNanos());
			}
		}
		if (VirtualSleepers.arePossible()) {
			table(page, "Blocking calls that sleep on virtual threads", "calls", "bytes, its thread included",
					"bytes of a virtual thread that sleeps without a call", "platform threads beyond those before",
					"bytes of each that are left after the shutdown", "ms to wake and end all");
			for (int number : sleepers) {
				VirtualSleepers slept = VirtualSleepers.of(number);
				row(page, slept.calls(), slept.bytes(), slept.bytesOfThread(), slept.platformThreads(),
						slept.bytesAfter(), slept.wakeMillis());
			}
		}
		else {
			page.append("\nSleepers need JDK 21 or later: left out.\n");
		}
		table(page, "How late second attempts start, due times spread over " + spread.toSeconds() + " s", "calls",
				"p50, ms", "p99, ms", "most, ms");
		for (int number : calls) {
			Lateness late = Lateness.of(number, spread);
			row(page, late.calls(), millis(late.median()), millis(late.p99()), millis(late.most()));
		}
		return page.toString();
	}

	private static void table(StringBuilder page, String title, String... columns) {
		page.append("\n### ").append(title).append("\n\n| ").append(String.join(" | ", columns)).append(" |\n|");
		page.append(" --- |".repeat(columns.length)).append('\n');
	}

	private static void rowOf(StringBuilder page, String made, AsyncWaits waits) {
		row(page, made, waits.calls(), waits.bytes(), waits.threads(), waits.bytesAfter(), waits.startNanos(),
				waits.cancelNanos());
	}

	private static void row(StringBuilder page, Object... cells) {
		page.append('|');
		for (Object cell : cells) {
			page.append(' ').append(text(cell)).append(" |");
		}
		page.append('\n');
	}

	private static String text(Object cell) {
		if (cell instanceof Double number) {
			return String.format(Locale.ROOT, "%,.0f", number);
		}
		return (cell instanceof Number number) ? String.format(Locale.ROOT, "%,d", number.longValue())
				: cell.toString();
	}

	private static String millis(long nanos) {
		return String.format(Locale.ROOT, "%.2f", nanos / 1e6);
	}

}
