package dev.backoff.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.jspecify.annotations.Nullable;

/**
 * A call that does what chance says: how often it fails, how long its attempts take, and
 * which calls it makes inside them. Times are in milliseconds.
 */
record RandomProgram(String id, boolean async, long base, @Nullable Long attemptTimeout, @Nullable Long cancelled,
		List<Step> steps) {

	/** What an attempt does. */
	record Step(long takes, List<RandomProgram> inner, boolean fails) {
	}

	/** Make a program. */
	static RandomProgram random(String id, Random random) {
		boolean async = random.nextBoolean();
		boolean cancelled = random.nextInt(4) == 0;
		return random(id, random, async, cancelled ? 1L + random.nextInt(60) : null, 2);
	}

	/* What is cancelled must not sleep before the caller has the future. */
	private static RandomProgram random(String id, Random random, boolean async, @Nullable Long cancelled, int depth) {
		Long timeout = (random.nextInt(3) == 0) ? 1L + random.nextInt(6) : null;
		boolean asyncInside = async || (cancelled == null && random.nextBoolean());
		List<Step> steps = new ArrayList<>();
		int attempts = 1 + random.nextInt(4);
		for (int number = 1; number <= attempts; number++) {
			boolean atOnce = async && cancelled != null && number == 1;
			List<RandomProgram> inner = new ArrayList<>();
			// beside an asynchronous call, a blocking attempt would go on when it likes
			int most = (async == asyncInside) ? 2 : 1;
			int calls = (depth == 0 || timeout != null) ? 0 : random.nextInt(most + 1);
			for (int i = 1; i <= calls; i++) {
				inner.add(random(id + "." + number + "." + i, random, asyncInside, cancelled, depth - 1));
			}
			steps.add(new Step(atOnce ? 0 : random.nextInt(8), inner, random.nextInt(3) > 0));
		}
		return new RandomProgram(id, async, random.nextInt(12), timeout, cancelled, steps);
	}

	boolean asyncInside() {
		return this.steps.stream().flatMap((step) -> step.inner().stream()).anyMatch(RandomProgram::async);
	}

	/** Run a program on one thread, in numbers only. */
	static final class Model {

		private final List<String> lines = new ArrayList<>();

		private final double interruptAt;

		private boolean interrupted;

		private Model(double interruptAt) {
			this.interruptAt = interruptAt;
		}

		/** Return what the program does, one line each, sorted. */
		static List<String> run(RandomProgram program) {
			Double cancelled = (program.cancelled() != null) ? program.cancelled() + 0.5 : null;
			if (!program.async()) {
				Model model = new Model((cancelled != null) ? cancelled : Double.MAX_VALUE);
				model.call(program, 0, false);
				return model.lines.stream().sorted().toList();
			}
			Model model = new Model(Double.MAX_VALUE);
			double end = model.call(program, 0, true).ends;
			if (cancelled == null || end < cancelled) {
				return model.lines.stream().sorted().toList();
			}
			List<String> lines = new ArrayList<>(
					model.lines.stream().filter((line) -> time(line) < cancelled).toList());
			long attempts = lines.stream().filter((line) -> line.contains(" " + program.id() + " attempt ")).count();
			lines.add(line(cancelled, program, "CANCELLED after " + attempts));
			return lines.stream().sorted().toList();
		}

		private static double time(String line) {
			return Double.parseDouble(line.substring(0, line.indexOf(' ')));
		}

		static String line(double time, RandomProgram program, String what) {
			return String.format("%010.1f %s %s", time, program.id(), what);
		}

		/* Returns when the caller goes on, and when the call ends. */
		private Span call(RandomProgram program, double start, boolean async) {
			double time = start;
			double returns = start;
			for (int number = 1; number <= program.steps().size(); number++) {
				Step step = program.steps().get(number - 1);
				this.lines.add(line(time, program, "attempt " + number));
				Boolean done = sleeps(program, time, step);
				Double timeout = (program.attemptTimeout() != null && step.takes() >= program.attemptTimeout())
						? (double) program.attemptTimeout() : null;
				double works = (timeout != null) ? timeout : step.takes();
				if (done == null) {
					time = Math.max(time, this.interruptAt);
					return ends(program, time, "INTERRUPTED after " + number, returns, async);
				}
				time += works;
				boolean fails = timeout != null || step.fails();
				if (timeout == null) {
					double last = time;
					double next = time;
					for (RandomProgram inner : step.inner()) {
						Span span = call(inner, next, inner.async());
						next = span.returns;
						last = Math.max(last, span.ends);
					}
					if (number == 1) {
						returns = next;
					}
					time = Math.max(next, last);
				}
				else if (number == 1) {
					returns = time;
				}
				if (!fails) {
					return ends(program, time, "SUCCEEDED after " + number, returns, async);
				}
				if (number < program.steps().size()) {
					double wait = program.base() * (1L << (number - 1));
					if (this.interrupted || this.interruptAt < time + wait) {
						time = Math.max(time, this.interruptAt);
						this.interrupted = true;
						return ends(program, time, "INTERRUPTED after " + number, returns, async);
					}
					time += wait;
				}
			}
			return ends(program, time, "ATTEMPTS_EXHAUSTED after " + program.steps().size(), returns, async);
		}

		/* Returns null if the sleep is interrupted. */
		private @Nullable Boolean sleeps(RandomProgram program, double time, Step step) {
			double takes = (program.attemptTimeout() != null) ? Math.min(step.takes(), program.attemptTimeout())
					: step.takes();
			if (this.interrupted || this.interruptAt < time + takes) {
				this.interrupted = true;
				return null;
			}
			return true;
		}

		private Span ends(RandomProgram program, double time, String how, double returns, boolean async) {
			this.lines.add(line(time, program, how));
			return new Span(async ? returns : time, time);
		}

		private record Span(double returns, double ends) {
		}

	}

}
