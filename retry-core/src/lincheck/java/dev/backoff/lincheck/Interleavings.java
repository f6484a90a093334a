package dev.backoff.lincheck;

import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.LincheckSettings;

/** Runs threads under many interleavings. */
final class Interleavings {

	private static final int NUMBER = 5_000;

	private Interleavings() {
	}

	static void run(Runnable test) {
		LincheckSettings usual = new LincheckSettings();
		// no other way to permit recursion, as where a limit reserves stack
		Lincheck.runConcurrentTestInternal$lincheck(NUMBER, usual.copy(usual.getAnalyzeStdLib(),
				usual.getLoopIterationsBeforeThreadSwitch(), usual.getLoopBound(), 1_000), test);
	}

	/** Run one on a thread of its own and the other here, and wait for both. */
	static void inParallel(Runnable one, Runnable other) {
		Thread thread = new Thread(one);
		thread.start();
		other.run();
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	/* Without a library of assertions, which Lincheck would run under its control too. */
	static void check(boolean holds) {
		if (!holds) {
			throw new AssertionError("does not hold");
		}
	}

}
