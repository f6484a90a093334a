package dev.backoff.spring.failure;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Clock;

import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponse;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.server.ResponseStatusException;

import dev.backoff.failure.FailureClassifier;

import static dev.backoff.spring.failure.Classified.assertSays;

/** Tests for {@link WebStatusFailureClassifier}. */
class WebStatusFailureClassifierTests {

	private final FailureClassifier classifier = new WebStatusFailureClassifier(
			new HttpStatusRules(new ServerHints(Clock.systemUTC())));

	@Test
	void classifiesResponseStatusExceptions() {
		assertSays(this.classifier, new ResponseStatusException(HttpStatus.BAD_GATEWAY), "transient http_5xx");
		assertSays(this.classifier, new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE), "transient http_503");
		assertSays(this.classifier, new ResponseStatusException(HttpStatus.TOO_MANY_REQUESTS), "throttled http_429");
		assertSays(this.classifier, new ResponseStatusException(HttpStatus.NOT_FOUND), "permanent");
		assertSays(this.classifier, new ResponseStatusException(HttpStatus.NOT_IMPLEMENTED), "permanent");
	}

	@Test
	void takesTheHintOfAnErrorResponse() {
		ErrorResponseException failure = new ErrorResponseException(HttpStatus.SERVICE_UNAVAILABLE);
		failure.getHeaders().set(HttpHeaders.RETRY_AFTER, "7");
		assertSays(this.classifier, failure, "throttled http_503 7s");
	}

	@Test
	void classifiesEveryErrorResponse() {
		assertSays(this.classifier, new Unprocessable(), "permanent");
	}

	@Test
	void classifiesAnnotatedExceptions() {
		assertSays(this.classifier, new Busy(), "transient http_503");
		assertSays(this.classifier, new VeryBusy(), "transient http_503");
		assertSays(this.classifier, new Gone(), "permanent");
		assertSays(this.classifier, new Missing(), "permanent");
		assertSays(this.classifier, new Unnamed(), "transient http_5xx");
	}

	@Test
	void theOutermostErrorStatusCounts() {
		assertSays(this.classifier, new ResponseStatusException(HttpStatus.BAD_GATEWAY, "", new Gone()),
				"transient http_5xx");
		assertSays(this.classifier, new ResponseStatusException(HttpStatus.OK, "", new Gone()), "permanent");
	}

	@Test
	void knowsNothingOfOtherFailures() {
		assertSays(this.classifier, new IllegalStateException(), "nothing");
		assertSays(this.classifier, new ResponseStatusException(HttpStatus.FOUND), "nothing");
	}

	@SuppressWarnings("serial")
	static final class Unprocessable extends RuntimeException implements ErrorResponse {

		@Override
		public HttpStatus getStatusCode() {
			return HttpStatus.UNPROCESSABLE_CONTENT;
		}

		@Override
		public ProblemDetail getBody() {
			return ProblemDetail.forStatus(getStatusCode());
		}

	}

	@SuppressWarnings("serial")
	@ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
	static class Busy extends RuntimeException {

	}

	@SuppressWarnings("serial")
	static final class VeryBusy extends Busy {

	}

	@SuppressWarnings("serial")
	@ResponseStatus(HttpStatus.GONE)
	static final class Gone extends RuntimeException {

	}

	@SuppressWarnings("serial")
	@ResponseStatus(reason = "default code")
	static final class Unnamed extends RuntimeException {

	}

	@ResponseStatus(HttpStatus.NOT_FOUND)
	@Retention(RetentionPolicy.RUNTIME)
	@interface AnswersNotFound {

	}

	@SuppressWarnings("serial")
	@AnswersNotFound
	static final class Missing extends RuntimeException {

	}

}
