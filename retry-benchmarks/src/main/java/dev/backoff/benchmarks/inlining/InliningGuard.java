package dev.backoff.benchmarks.inlining;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Whether all of the hot path is inlined, by the compiler's own log. */
public final class InliningGuard {

	private static final String INTERCEPTOR = "dev.backoff.spring.advice.BackoffInterceptor.invoke";

	private static final String WOVEN = "dev.backoff.spring.aspectj.ActiveContexts.call";

	/* From the driver down to the recorder, the breaker and the budget. */
	private static final List<String> STATIONS = List.of("dev.backoff.Retry.callOn", "dev.backoff.BlockingDriver.call",
			"dev.backoff.OverloadGuard.tryAcquire", "dev.backoff.OverloadGuard.succeededOnFirstAttempt",
			"dev.backoff.budget.RetryBudget.deposit",
			"dev.backoff.spring.observation.MethodMeters.succeededOnFirstAttempt");

	private static final String WITH_ALL_INSIDE = "a jump, to code with all that is below inlined";

	/*
	 * The parts of the path. C2 does not copy code that it has made already if that is
	 * longer than 2,500 bytes (InlineSmallCode), and which of these it has made before
	 * their callers depends on which were called often enough first.
	 */
	private static final List<String> CALLED_WHOLE = List.of(INTERCEPTOR, WOVEN,
			"dev.backoff.spring.aspectj.BackoffAspect.ajc$around$dev_backoff_spring_aspectj_BackoffAspect$1$ddafe576",
			"dev.backoff.spring.advice.MethodRetry.invoke", "dev.backoff.spring.advice.MethodRetry$$Lambda.run",
			"dev.backoff.Retry.callOn", "dev.backoff.BlockingDriver.call",
			"dev.backoff.CallSteps.succeededOnFirstAttempt", "dev.backoff.CallEvents.succeededOnFirstAttempt");

	private static final Map<String, String> CALLED = CALLED_WHOLE.stream()
		.collect(Collectors.toMap((method) -> method, (method) -> WITH_ALL_INSIDE));

	private InliningGuard() {
	}

	/**
	 * Print the path of each log, and what is wrong with it.
	 * @param args {@code proxied=<file>} and {@code woven=<file>}
	 * @throws IOException if a file cannot be read
	 */
	@SuppressWarnings("StreamToIterable") // of a file that is too long to be read first
	public static void main(String[] args) throws IOException {
		List<String> problems = new ArrayList<>();
		int jumps = 0;
		for (String arg : args) {
			String[] parts = arg.split("=", 2);
			String entry = parts[0].equals("woven") ? WOVEN : INTERCEPTOR;
			try (Stream<String> lines = Files.lines(Path.of(parts[1]), StandardCharsets.ISO_8859_1)) {
				HotPath path = HotPath.of(CompilerLog.parse(lines::iterator), List.of(entry));
				System.out.println("\n## " + parts[0] + "\n\n" + path.table(CALLED));
				problems.addAll(path.problems(stations(entry), CALLED));
				jumps += path.jumps();
			}
		}
		problems.forEach(System.out::println);
		System.out.println(verdict(problems.size(), jumps));
		System.exit(problems.isEmpty() ? 0 : 1);
	}

	/**
	 * Return the last line.
	 * @param problems how many there are, in all logs
	 * @param jumps how many methods are called rather than inlined, in all logs
	 */
	static String verdict(int problems, int jumps) {
		if (problems > 0) {
			return "Not as it should be: " + count(problems, "problem") + ", above.";
		}
		return "Nothing is refused; " + count(jumps, "known jump") + ".";
	}

	private static String count(int number, String what) {
		return number + " " + what + ((number != 1) ? "s" : "");
	}

	private static List<String> stations(String entry) {
		List<String> stations = new ArrayList<>(STATIONS);
		stations.add(0, entry);
		return stations;
	}

}
