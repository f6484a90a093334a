package dev.backoff.spring.aspectj;

import java.util.ArrayList;
import java.util.List;

import dev.backoff.Attempt;

/** What methods do, static ones too: fail as often as told, and write it down. */
final class Script {

	private static final List<String> RUNS = new ArrayList<>();

	private static int failures;

	/** Begin: so many runs fail. */
	static void fail(int times) {
		failures = times;
		RUNS.clear();
	}

	/** Fail or return what a run was called with. */
	static String run(String name) throws Failure {
		RUNS.add(name + (Attempt.isRunning() ? " attempt " + Attempt.current().number() : " alone"));
		if (failures > 0) {
			failures--;
			throw new Failure(name);
		}
		return name;
	}

	static void note(String line) {
		RUNS.add(line);
	}

	/** Return what ran so far. */
	static List<String> runs() {
		return List.copyOf(RUNS);
	}

	/** A checked failure. */
	static final class Failure extends Exception {

		private static final long serialVersionUID = 1L;

		Failure(String message) {
			super(message);
		}

	}

}
