package dev.backoff.spring.failure;

import java.sql.SQLException;
import java.util.HashMap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.validation.BindException;
import org.springframework.validation.MapBindingResult;
import org.springframework.web.bind.MissingServletRequestParameterException;

import dev.backoff.failure.FailureClassifier;

import static dev.backoff.spring.failure.Classified.assertSays;

/**
 * Tests for {@link RefusalFailureClassifier}. The exceptions of libraries that are absent
 * here are classes of the same names, made on the spot.
 */
class RefusalFailureClassifierTests {

	private final FailureClassifier classifier = new RefusalFailureClassifier();

	@Test
	void rejectedInputIsPermanent() throws Exception {
		assertSays(this.classifier, new BindException(new MapBindingResult(new HashMap<>(), "order")), "permanent");
		assertSays(this.classifier, new MissingServletRequestParameterException("id", "long"), "permanent");
		assertSays(this.classifier, NamedFailures.create("jakarta.validation.ValidationException",
				"jakarta.validation.ConstraintViolationException"), "permanent");
	}

	@Test
	void refusedAccessIsPermanent() throws Exception {
		assertSays(this.classifier, new SecurityException(), "permanent");
		assertSays(this.classifier, NamedFailures.create("org.springframework.security.access.AccessDeniedException",
				"org.springframework.security.authorization.AuthorizationDeniedException"), "permanent");
		assertSays(this.classifier, NamedFailures.create("org.springframework.security.core.AuthenticationException",
				"org.springframework.security.authentication.BadCredentialsException"), "permanent");
	}

	@Test
	void anAnswerThatSpringAiCallsNonTransientIsPermanent() {
		assertSays(this.classifier, NamedFailures.create("org.springframework.ai.retry.NonTransientAiException"),
				"permanent");
		assertSays(this.classifier, NamedFailures.create("org.springframework.ai.retry.TransientAiException"),
				"nothing");
	}

	@ParameterizedTest
	@ValueSource(strings = { "TransactionRequired", "NoResult", "NonUniqueResult", "EntityNotFound", "EntityExists" })
	void misuseOfJpaIsPermanentAsSpringTranslatesIt(String name) {
		assertSays(this.classifier, NamedFailures.create("jakarta.persistence.PersistenceException",
				"jakarta.persistence." + name + "Exception"), "permanent");
	}

	@Test
	void authenticationThatDoesNotWorkIsLeftToOthers() throws Exception {
		assertSays(this.classifier,
				NamedFailures.create("org.springframework.security.core.AuthenticationException",
						"org.springframework.security.authentication.AuthenticationServiceException",
						"org.springframework.security.authentication.InternalAuthenticationServiceException"),
				"nothing");
	}

	@Test
	void nobodyElsesConstraintViolationIsMeant() throws Exception {
		assertSays(this.classifier, NamedFailures.create("org.hibernate.exception.ConstraintViolationException"),
				"nothing");
		assertSays(this.classifier, NamedFailures.create("jakarta.persistence.PersistenceException",
				"jakarta.persistence.OptimisticLockException"), "nothing");
		assertSays(this.classifier, new DataIntegrityViolationException("x"), "nothing");
		assertSays(this.classifier, new SQLException("x", "23505"), "nothing");
	}

}
