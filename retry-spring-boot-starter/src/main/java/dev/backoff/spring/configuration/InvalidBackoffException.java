package dev.backoff.spring.configuration;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Thrown with all problems found in annotations and configuration.
 *
 * @since 0.1
 */
public final class InvalidBackoffException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient List<Problem> problems;

	public InvalidBackoffException(List<Problem> problems) {
		super(problems.stream().map(Problem::toString).collect(Collectors.joining(System.lineSeparator())));
		this.problems = List.copyOf(problems);
	}

	/** Throw an exception with the problems, each once, if there are any. */
	public static void throwIfAny(List<Problem> problems) {
		if (!problems.isEmpty()) {
			throw new InvalidBackoffException(problems.stream().distinct().toList());
		}
	}

	/** Return the problems in an immutable list. */
	public List<Problem> problems() {
		return this.problems;
	}

}
