package dev.backoff.benchmarks.inlining;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import dev.backoff.benchmarks.inlining.CompilerLog.Call;
import dev.backoff.benchmarks.inlining.CompilerLog.Code;

/**
 * The methods of ours that a call which succeeds at once runs through, as the compiler
 * treats them: found by following the calls from the loop of the benchmark.
 */
final class HotPath {

	/* FreqInlineSize: the longest bytecode that is inlined where it is often called. */
	private static final int MOST_BYTES = 325;

	/*
	 * A fifth of what it takes to be compiled by C2: what is called less is not the path.
	 */
	private static final double LEAST_CALLS = 1000;

	private static final String OURS = "dev.backoff.";

	private static final String BENCHMARKS = "dev.backoff.benchmarks.";

	private static final String LOOP = "jmhStub";

	/* The number and the address of a class that a lambda has. */
	private static final Pattern LAMBDA = Pattern.compile("\\$\\$Lambda[^.]*");

	private static final String LARGE_CODE = "already compiled into a big method";

	/*
	 * What is inlined first, a method into itself for instance, leaves no room for more.
	 */
	private static final String NO_ROOM = "NodeCountInliningCutoff";

	private static final int MOST_CALLED = 8;

	private final Map<String, Step> steps = new TreeMap<>();

	private HotPath() {
	}

	/**
	 * Follow the path.
	 * @param log what the compiler says
	 * @param entries methods that the path runs through, where a framework calls what the
	 * log does not name
	 * @return the path
	 */
	static HotPath of(CompilerLog log, Collection<String> entries) {
		HotPath path = new HotPath();
		Deque<String> open = new ArrayDeque<>(log.methods((method) -> method.endsWith(LOOP)));
		open.addAll(entries);
		Set<String> seen = new HashSet<>();
		while (!open.isEmpty()) {
			String method = open.remove();
			if (seen.add(method)) {
				log.find(method).ifPresent((code) -> open.addAll(path.follow(code)));
			}
		}
		return path;
	}

	/** Note what is in a method's code; return what it calls that is not in it. */
	private List<String> follow(Code code) {
		note(code.method(), new Step(code.bytes(), Set.of()));
		List<String> called = new ArrayList<>();
		for (Call call : code.calls()) {
			if (call.count() >= LEAST_CALLS && !isRepeated(call)) {
				note(call.method(), new Step(call.bytes(), call.inlined() ? Set.of() : Set.of(call.reason())));
				if (!call.inlined()) {
					called.add(call.method());
				}
			}
		}
		return called;
	}

	/*
	 * A proxy proceeds by one method from advice to advice and to the target, so that the
	 * compiler inlines ours into itself, where no call ever runs through it.
	 */
	private static boolean isRepeated(Call call) {
		List<String> ours = call.path().stream().filter(HotPath::isOurs).toList();
		return Set.copyOf(ours).size() < ours.size();
	}

	private static boolean isOurs(String method) {
		return method.startsWith(OURS) && !method.startsWith(BENCHMARKS);
	}

	private void note(String method, Step step) {
		if (isOurs(method)) {
			this.steps.merge(LAMBDA.matcher(method).replaceAll("\\$\\$Lambda"), step, Step::and);
		}
	}

	/**
	 * Return the path as a table in Markdown.
	 * @param called see {@link #problems}
	 */
	String table(Map<String, String> called) {
		StringBuilder table = new StringBuilder("| method | bytes | inlined |\n| --- | --- | --- |\n");
		this.steps.forEach((method, step) -> table.append("| ")
			.append(method.substring(OURS.length()))
			.append(" | ")
			.append(step.bytes())
			.append(" | ")
			.append(step.words(called.get(method)))
			.append(" |\n"));
		return table.toString();
	}

	/** Return how many methods are called rather than inlined, for whatever reason. */
	int jumps() {
		return (int) this.steps.values().stream().filter((step) -> !step.refusals().isEmpty()).count();
	}

	/**
	 * Return what is wrong with the path.
	 * @param stations methods that it has to run through, or it is not the path
	 * @param called methods that may be called because of the size of their code, with
	 * the reason
	 * @return a line for each problem
	 */
	List<String> problems(Collection<String> stations, Map<String, String> called) {
		List<String> problems = new ArrayList<>();
		for (String station : stations) {
			if (!this.steps.containsKey(station)) {
				problems.add(station + " was not seen: is it still what a call runs through?");
			}
		}
		this.steps.forEach((method, step) -> {
			if (step.bytes() > MOST_BYTES) {
				problems.add(method + " has " + step.bytes() + " bytes: must not have more than " + MOST_BYTES + ".");
			}
			step.refusals()
				.stream()
				.filter((refusal) -> !step.isExcused(refusal, called.get(method)))
				.forEach((refusal) -> problems.add(method + " is not inlined: " + refusal + "."));
		});
		int jumps = jumps();
		if (jumps > MOST_CALLED) {
			problems.add(jumps + " methods are not inlined: must not be more than " + MOST_CALLED + ".");
		}
		return problems;
	}

	/**
	 * A method on the path.
	 *
	 * @param bytes the length of its bytecode
	 * @param refusals why it was not inlined, wherever it was not
	 */
	private record Step(int bytes, Set<String> refusals) {

		Step and(Step other) {
			Set<String> all = new HashSet<>(this.refusals);
			all.addAll(other.refusals);
			return new Step(Math.max(this.bytes, other.bytes), all);
		}

		boolean isExcused(String refusal, @Nullable String excuse) {
			return refusal.equals(NO_ROOM) || (excuse != null && refusal.equals(LARGE_CODE));
		}

		String words(@Nullable String excuse) {
			if (this.refusals.isEmpty()) {
				return "yes";
			}
			String words = String.join(", ", this.refusals.stream().sorted().toList());
			boolean excused = this.refusals.stream().allMatch((refusal) -> isExcused(refusal, excuse));
			if (!excused) {
				return "**no**: " + words;
			}
			return "called: " + words + ((excuse != null) ? "; " + excuse : "");
		}

	}

}
