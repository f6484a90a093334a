package dev.backoff.spring.failure;

import org.jspecify.annotations.Nullable;

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

	private static final ClassTable TYPES = new ClassTable()
		.with(PERMANENT, "jakarta.validation.ValidationException", "org.springframework.validation.BindException",
				"org.springframework.validation.method.MethodValidationException",
				"org.springframework.web.bind.MethodArgumentNotValidException",
				"org.springframework.web.bind.ServletRequestBindingException",
				"org.springframework.web.bind.support.WebExchangeBindException",
				"org.springframework.web.method.annotation.HandlerMethodValidationException",
				"org.springframework.security.access.AccessDeniedException",
				"org.springframework.security.core.AuthenticationException", "java.lang.SecurityException")
		.with(null, "org.springframework.security.authentication.AuthenticationServiceException");

	@Override
	public boolean mayKnow(Class<?> type) {
		return TYPES.of(type) != null;
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		return (TYPES.find(failure, PERMANENT) != null) ? PERMANENT : null;
	}

}
