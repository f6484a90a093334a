package dev.backoff.sample.web;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.reactive.function.client.WebClientException;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.pace.PacedException;
import dev.backoff.sample.order.OutOfStockException;
import dev.backoff.sample.payment.PollingFailedException;

/**
 * Report failures behind the shop: 503 with {@code Retry-After} where a later request may
 * succeed, 502 where it cannot.
 */
@RestControllerAdvice
class ProblemAdvice {

	private static final String LATER = "5";

	@ExceptionHandler
	ProblemDetail outOfStock(OutOfStockException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(ex.getMessage()));
	}

	/** The handled exception may also be the cause of the thrown one. */
	@ExceptionHandler
	ResponseEntity<ProblemDetail> partnerFailed(RestClientException ex) {
		if (ex instanceof RestClientResponseException answer) {
			return partnerAnswered(answer.getStatusCode(), answer.getResponseHeaders(), ex);
		}
		return problem("A partner did not answer", (ex instanceof ResourceAccessException) ? LATER : null, ex);
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> partnerFailed(WebClientException ex) {
		if (ex instanceof WebClientResponseException answer) {
			return partnerAnswered(answer.getStatusCode(), answer.getHeaders(), ex);
		}
		return problem("A partner did not answer", (ex instanceof WebClientRequestException) ? LATER : null, ex);
	}

	/** Nothing was called: a later request may find the breaker closed. */
	@ExceptionHandler
	ResponseEntity<ProblemDetail> partnerIsSpared(CircuitOpenException ex) {
		Duration left = ex.timeToProbe();
		return problem("A partner is not called for a while",
				(left != null) ? Long.toString(left.toSeconds() + 1) : LATER, ex);
	}

	/** Nothing was called: too many calls wait for the quota. */
	@ExceptionHandler
	ResponseEntity<ProblemDetail> quotaIsUsedUp(PacedException ex) {
		return problem("Too many questions wait", Long.toString(ex.untilTurn().toSeconds() + 1), ex);
	}

	/** The partner failed at the final poll, or has no final answer yet. */
	@ExceptionHandler
	ResponseEntity<ProblemDetail> pollingFailed(PollingFailedException ex) {
		return (ex.getCause() instanceof RestClientException failure) ? partnerFailed(failure)
				: problem("The payment is still pending", LATER, ex);
	}

	private static ResponseEntity<ProblemDetail> partnerAnswered(HttpStatusCode status, @Nullable HttpHeaders headers,
			Exception failure) {
		String given = (headers != null) ? headers.getFirst(HttpHeaders.RETRY_AFTER) : null;
		boolean busy = status.value() == 429 || status.is5xxServerError();
		return problem("A partner answered " + status.value(), (given != null || !busy) ? given : LATER, failure);
	}

	/** Describe a failure. */
	private static ResponseEntity<ProblemDetail> problem(String what, @Nullable String later, Exception failure) {
		HttpStatus status = (later != null) ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.BAD_GATEWAY;
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, what);
		RetriesStoppedException report = RetriesStoppedException.of(failure);
		if (report != null) {
			problem.setProperty("attempts", report.attempts());
			problem.setProperty("stop", report.reason());
		}
		ResponseEntity.BodyBuilder response = ResponseEntity.status(status);
		if (later != null) {
			response.header(HttpHeaders.RETRY_AFTER, later);
		}
		return response.body(problem);
	}

}
