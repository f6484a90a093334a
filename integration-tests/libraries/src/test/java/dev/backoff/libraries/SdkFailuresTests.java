package dev.backoff.libraries;

import java.util.List;

import com.openai.core.http.Headers;
import com.openai.errors.OpenAIInvalidDataException;
import com.openai.errors.OpenAIServiceException;
import com.openai.errors.UnauthorizedException;
import com.openai.errors.UnexpectedStatusCodeException;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;

import dev.backoff.Retry;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassification.Kind;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.RetryCause;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;

/** Failures of an SDK, which a bean of the application judges by their status. */
class SdkFailuresTests {

	private static final Headers NONE = Headers.builder().build();

	private final Retry retry = Retry
		.builder(RetryPolicy.builder("model").classifiers(List.of(new Sdk().sdkFailures())).build())
		.build();

	@Test
	void areRetriedWhereTheirStatusMayPass() {
		assertThat(this.retry.isRetryable(UnauthorizedException.builder().headers(NONE).build())).isFalse();
		assertThat(this.retry.isRetryable(status(400))).isFalse();
		assertThat(this.retry.isRetryable(status(503))).isTrue();
		assertThat(this.retry.isRetryable(status(522))).isTrue();
		assertThat(this.retry.isRetryable(status(429))).isTrue();
		assertThat(this.retry.isRetryable(new OpenAIInvalidDataException("no status"))).isTrue();
		FailureClassification throttled = new Sdk().sdkFailures().classify(status(429));
		assertThat(throttled).isNotNull();
		assertThat(throttled.kind()).isEqualTo(Kind.THROTTLED);
	}

	private static Exception status(int status) {
		return UnexpectedStatusCodeException.builder().statusCode(status).headers(NONE).build();
	}

	static class Sdk {

		@Bean
		FailureClassifier sdkFailures() {
			return (failure) -> (failure instanceof OpenAIServiceException answer) ? switch (answer.statusCode()) {
				case 429 -> FailureClassification.throttled(RetryCause.HTTP_429);
				case 408 -> FailureClassification.transientFailure(RetryCause.TIMEOUT);
				default -> (answer.statusCode() < 500) ? FailureClassification.permanent(RetryCause.OTHER)
						: FailureClassification.transientFailure(RetryCause.HTTP_5XX);
			} : null;
		}

	}

}
