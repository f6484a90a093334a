package dev.backoff.spring.readme;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.RetryCause;

@Configuration(proxyBeanMethods = false)
class Classifiers {

	@Bean
	FailureClassifier cardClassifier() {
		return (failure) -> (failure instanceof CardDeclinedException)
				? FailureClassification.permanent(RetryCause.OTHER) : null;
	}

	/** A failure of the application. */
	@SuppressWarnings("serial")
	static class CardDeclinedException extends RuntimeException {

	}

}
