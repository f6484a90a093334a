package dev.backoff.benchmarks.speed;

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
		// a partner that never fails writes nothing, so that threads may share it
		if (this.failures > 0 && this.failed++ < this.failures) {
			throw new Failure();
		}
		if (this.failures > 0) {
			this.failed = 0;
		}
		return question;
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
