package dev.backoff.spring.failure;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.FailureClassification;

/**
 * Classify rejected input, refused access, requests that Spring AI calls non-transient
 * and those exceptions of JPA that Spring would translate to non-transient ones as
 * permanent, also where that is the cause of another exception: the same call would be
 * refused again.
 * <p>
 * Types are compared by their full names, so that these libraries may be absent. An
 * {@code AuthenticationServiceException} reports a broken service and not a refusal, so
 * other classifiers judge it. Thread-safe.
 */
final class RefusalFailureClassifier implements TypedClassifier {

	private static final ClassTable TYPES = new ClassTable()
		.with(PERMANENT, "jakarta.validation.ValidationException", "org.springframework.validation.BindException",
				"org.springframework.validation.method.MethodValidationException",
				"org.springframework.web.bind.MethodArgumentNotValidException",
				"org.springframework.web.bind.ServletRequestBindingException",
				"org.springframework.web.bind.support.WebExchangeBindException",
				"org.springframework.web.method.annotation.HandlerMethodValidationException",
				"org.springframework.security.access.AccessDeniedException",
				"org.springframework.security.core.AuthenticationException",
				"org.springframework.ai.retry.NonTransientAiException", "java.lang.SecurityException",
				"jakarta.persistence.TransactionRequiredException", "jakarta.persistence.NoResultException",
				"jakarta.persistence.NonUniqueResultException", "jakarta.persistence.EntityNotFoundException",
				"jakarta.persistence.EntityExistsException")
		.with(null, "org.springframework.security.authentication.AuthenticationServiceException");

	@Override
	public boolean mayKnow(Class<?> type) {
		return TYPES.of(type) != null;
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		Throwable refused = TYPES.find(failure, PERMANENT);
		return (refused != null) ? TYPES.of(refused.getClass()) : null;
	}

}
