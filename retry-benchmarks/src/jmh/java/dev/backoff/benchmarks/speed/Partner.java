package dev.backoff.benchmarks.speed;

import java.util.concurrent.CompletableFuture;

/**
 * What is called: it fails as often as told, then succeeds once, and so on. Each
 * {@link Contender} extends it with an annotation of its own.
 */
public class Partner {

	private final int failures;

	private int failed;

	/**
	 * Make a partner.
	 * @param failures how often it fails before it succeeds
	 */
	protected Partner(int failures) {
		this.failures = failures;
	}

	/**
	 * Answer.
	 * @param question what is asked
	 * @return the question
	 */
	public String ask(String question) {
		if (fails()) {
			throw new Failure();
		}
		return question;
	}

	/**
	 * Answer at once by a future.
	 * @param question what is asked
	 * @return the question, in a future that is complete
	 */
	public CompletableFuture<String> askLater(String question) {
		return fails() ? CompletableFuture.failedFuture(new Failure()) : CompletableFuture.completedFuture(question);
	}

	private boolean fails() {
		// a partner that never fails writes nothing, so that threads may share it
		if (this.failures > 0 && this.failed++ < this.failures) {
			return true;
		}
		if (this.failures > 0) {
			this.failed = 0;
		}
		return false;
	}

	/**
	 * A failure without a stack trace: filling one in takes longer than what is measured.
	 */
	static final class Failure extends RuntimeException {

		private static final long serialVersionUID = 1L;

		Failure() {
			super("failed", null, true, false);
		}

	}

}
