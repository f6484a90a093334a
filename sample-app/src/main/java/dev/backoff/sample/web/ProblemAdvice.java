package dev.backoff.sample.web;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestClientResponseException;

import dev.backoff.RetriesStoppedException;
import dev.backoff.sample.order.OutOfStockException;

/**
 * Tells clients what went wrong behind the shop: 503 with {@code Retry-After} where
 * trying later may help, 502 where it will not.
 */
@RestControllerAdvice
class ProblemAdvice {

	private static final String LATER = "5";

	@ExceptionHandler
	ProblemDetail outOfStock(OutOfStockException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(ex.getMessage()));
	}

	/** The exception that a handler asks for may also be the cause of what was thrown. */
	@ExceptionHandler
	ResponseEntity<ProblemDetail> partnerFailed(RestClientException ex) {
		String later = retryAfter(ex);
		HttpStatus status = (later != null) ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.BAD_GATEWAY;
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, what(ex));
		RetriesStoppedException story = RetriesStoppedException.of(ex);
		if (story != null) {
			problem.setProperty("attempts", story.attempts());
			problem.setProperty("stop", story.reason());
		}
		ResponseEntity.BodyBuilder response = ResponseEntity.status(status);
		if (later != null) {
			response.header(HttpHeaders.RETRY_AFTER, later);
		}
		return response.body(problem);
	}

	private static String what(RestClientException ex) {
		return (ex instanceof RestClientResponseException answer)
				? "A partner answered " + answer.getStatusCode().value() : "A partner did not answer";
	}

	/** Return when to try again, or null if that is in vain. */
	private static @Nullable String retryAfter(RestClientException ex) {
		if (ex instanceof RestClientResponseException answer) {
			HttpHeaders headers = answer.getResponseHeaders();
			String given = (headers != null) ? headers.getFirst(HttpHeaders.RETRY_AFTER) : null;
			boolean busy = answer.getStatusCode().value() == 429 || answer.getStatusCode().is5xxServerError();
			return (given != null || !busy) ? given : LATER;
		}
		return (ex instanceof ResourceAccessException) ? LATER : null;
	}

}
