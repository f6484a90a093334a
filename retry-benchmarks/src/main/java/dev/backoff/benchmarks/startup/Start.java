package dev.backoff.benchmarks.startup;

/**
 * What a start took.
 *
 * @param nanos until the application was ready
 * @param processor the time of all threads on processors meanwhile, in nanoseconds
 * @param bytes what its main thread allocated
 * @param classes how many were loaded
 */
record Start(long nanos, long processor, long bytes, int classes) {

	private static final String MARK = "started";

	/** Return whether a line of output is one. */
	static boolean isLine(String line) {
		return line.startsWith(MARK + " ");
	}

	/** Return it as a line of output. */
	String line() {
		return MARK + " " + this.nanos + " " + this.processor + " " + this.bytes + " " + this.classes;
	}

	/** Read such a line. */
	static Start of(String line) {
		String[] words = line.split(" ", -1);
		return new Start(Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]),
				Integer.parseInt(words[4]));
	}

}
