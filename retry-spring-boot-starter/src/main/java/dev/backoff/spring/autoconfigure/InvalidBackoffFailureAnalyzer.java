package dev.backoff.spring.autoconfigure;

import java.util.List;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Problem;

/** Report problems of annotations and configuration, and how to correct them. */
final class InvalidBackoffFailureAnalyzer extends AbstractFailureAnalyzer<InvalidBackoffException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidBackoffException cause) {
		List<Problem> problems = cause.problems();
		StringBuilder description = new StringBuilder((problems.size() == 1) ? "Retries cannot work as configured:"
				: "Retries cannot work as configured, for " + problems.size() + " reasons:");
		StringBuilder action = new StringBuilder();
		for (int i = 0; i < problems.size(); i++) {
			String number = (problems.size() == 1) ? "" : (i + 1) + ". ";
			description.append("%n%n    ".formatted()).append(number).append(problems.get(i).message());
			action.append((i == 0) ? "" : "%n".formatted()).append(number).append(problems.get(i).fix());
		}
		return new FailureAnalysis(description.toString(), action.toString(), cause);
	}

}
