package dev.backoff.spring.failure;

import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;

/**
 * Classify rejected input and refused access as permanent, also where it is the cause of
 * another exception: the same call would be refused again.
 * <p>
 * Types are compared by their full names, so that Bean Validation and Spring Security may
 * be absent. An {@code AuthenticationServiceException} reports a broken service and not a
 * refusal, so other classifiers judge it. Thread-safe.
 */
final class RefusalFailureClassifier implements TypedClassifier {

	private static final FailureClassification PERMANENT = FailureClassification.permanent(RetryCause.OTHER);

	private static final Set<String> REFUSALS = Set.of("jakarta.validation.ValidationException",
			"org.springframework.validation.BindException",
			"org.springframework.validation.method.MethodValidationException",
			"org.springframework.web.bind.MethodArgumentNotValidException",
			"org.springframework.web.bind.ServletRequestBindingException",
			"org.springframework.web.bind.support.WebExchangeBindException",
			"org.springframework.web.method.annotation.HandlerMethodValidationException",
			"org.springframework.security.access.AccessDeniedException",
			"org.springframework.security.core.AuthenticationException", "java.lang.SecurityException");

	private static final Set<String> BREAKDOWNS = Set
		.of("org.springframework.security.authentication.AuthenticationServiceException");

	@Override
	public boolean mayKnow(Class<?> type) {
		return ClassNames.isOneOf(REFUSALS, type);
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		Throwable refusal = Causes.find(failure,
				(link) -> ClassNames.isOneOf(REFUSALS, link) && !ClassNames.isOneOf(BREAKDOWNS, link));
		return (refusal != null) ? PERMANENT : null;
	}

}
