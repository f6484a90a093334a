package dev.backoff.spring.failure;

import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.RetryCause;

/**
 * Classify rejected input and refused access as permanent, also where it is the cause of
 * another exception. The same call has the same answer the next time.
 * <p>
 * Types are told by their full names, so that neither Bean Validation nor Spring Security
 * needs to be present, and nobody else's {@code ConstraintViolationException} is meant.
 * An {@code AuthenticationServiceException} says that authentication does not work rather
 * than that it is refused, and is left to others. Thread-safe.
 *
 * @since 0.1
 */
public final class RefusalFailureClassifier implements FailureClassifier {

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

	/** Create the classifier. */
	public RefusalFailureClassifier() {
	}

	/**
	 * Return whether it may say something where a failure or a cause is of this class.
	 */
	static boolean mayKnow(Class<?> type) {
		return ClassNames.isOneOf(REFUSALS, type);
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		Throwable refusal = Causes.find(failure,
				(link) -> ClassNames.isOneOf(REFUSALS, link) && !ClassNames.isOneOf(BREAKDOWNS, link));
		return (refusal != null) ? PERMANENT : null;
	}

}
