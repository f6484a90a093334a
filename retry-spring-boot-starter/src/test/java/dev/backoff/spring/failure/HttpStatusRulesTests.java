package dev.backoff.spring.failure;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.client.HttpServerErrorException;

import dev.backoff.Retry;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/** Tests for {@link HttpStatusRules}. */
class HttpStatusRulesTests {

	private final HttpStatusRules rules = new HttpStatusRules(
			new ServerHints(Clock.fixed(Instant.parse("2026-11-20T12:00:00Z"), ZoneOffset.UTC)));

	@ParameterizedTest
	@CsvSource({ "408,transient timeout,transient timeout 7s", "425,transient other,transient other 7s",
			"429,throttled http_429,throttled http_429 7s", "500,transient http_5xx,transient http_5xx 7s",
			"502,transient http_5xx,transient http_5xx 7s", "503,transient http_503,throttled http_503 7s",
			"504,transient timeout,transient timeout 7s", "529,transient http_5xx,throttled http_5xx 7s" })
	void takesTheHintAlong(int status, String without, String with) {
		assertThat(classify(status, null)).isEqualTo(without);
		assertThat(classify(status, "7")).isEqualTo(with);
	}

	@ParameterizedTest
	@ValueSource(ints = { 507, 509, 512, 520, 521, 522, 523, 524, 527, 530, 555, 561, 598, 599 })
	void everyOtherStatusOfAServerIsLike500(int status) {
		assertThat(classify(status, null)).isEqualTo(classify(500, null));
		assertThat(classify(status, "7")).isEqualTo(classify(500, "7"));
	}

	@ParameterizedTest
	@ValueSource(ints = { 400, 401, 403, 404, 405, 410, 413, 422, 423, 424, 426, 428, 430, 451, 499, 501, 505, 506, 508,
			510, 511 })
	void otherErrorsArePermanentWhateverTheHint(int status) {
		assertThat(classify(status, null)).isEqualTo("permanent");
		assertThat(classify(status, "7")).isEqualTo("permanent");
	}

	@ParameterizedTest
	@CsvSource({ "522, OPEN", "529, OPEN", "501, CLOSED" })
	void aServerThatIsIllOpensItsBreaker(int status, BreakerState state) {
		CircuitBreaker breaker = CircuitBreaker.builder("orders").build();
		FailureClassifier builtIn = new BuiltInFailureClassifiers(getClass().getClassLoader(), Clock.systemUTC(), true);
		Retry retry = Retry.builder(RetryPolicy.builder("orders").maxAttempts(1).classifiers(List.of(builtIn)).build())
			.breaker(breaker)
			.build();
		for (int i = 0; i < 40; i++) {
			assertThatException().isThrownBy(() -> retry.run(() -> {
				throw HttpServerErrorException.create(HttpStatusCode.valueOf(status), "", HttpHeaders.EMPTY,
						new byte[0], null);
			}));
		}
		assertThat(breaker.state()).isEqualTo(state);
	}

	@Test
	void aConflictIsWorthAnotherAttemptOnlyByKey() {
		assertThat(classify(409, null)).isEqualTo("permanent");
		assertThat(classify(409, "7")).isEqualTo("permanent 7s");
		assertThat(this.rules.classify(409, null)).matches(FailureClassification::isRetryableByKey);
	}

	@ParameterizedTest
	@ValueSource(ints = { 400, 408, 410, 422, 425, 428, 429, 500, 503 })
	void nothingElseIsRetryableByKey(int status) {
		assertThat(this.rules.classify(status, null)).isNotNull()
			.matches((classification) -> !classification.isRetryableByKey());
	}

	@Test
	void onlyARefusalForLoadHasSurelyHadNoEffect() {
		HttpHeaders hinted = new HttpHeaders();
		hinted.set(HttpHeaders.RETRY_AFTER, "7");
		assertThat(this.rules.classify(429, null)).matches(FailureClassification::isWithoutEffect);
		assertThat(this.rules.classify(503, hinted)).matches(FailureClassification::isWithoutEffect);
		assertThat(this.rules.classify(529, hinted)).matches(FailureClassification::isWithoutEffect);
		for (int status : List.of(408, 409, 425, 500, 502, 503, 504, 522, 529)) {
			assertThat(this.rules.classify(status, null)).as("%d", status)
				.isNotNull()
				.matches((classification) -> !classification.isWithoutEffect());
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 100, 200, 204, 301, 304, 399, 600, 999 })
	void saysNothingOfOtherStatuses(int status) {
		assertThat(classify(status, "7")).isEqualTo("nothing");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "-1", "+5", "1,5", "garbage" })
	void aHintThatCannotBeReadIsNone(String hint) {
		assertThat(classify(503, hint)).isEqualTo("transient http_503");
		assertThat(classify(429, hint)).isEqualTo("throttled http_429");
	}

	@Test
	void zeroIsAHint() {
		assertThat(classify(503, "0")).isEqualTo("throttled http_503 0s");
	}

	private String classify(int status, String retryAfter) {
		HttpHeaders headers = new HttpHeaders();
		if (retryAfter != null) {
			headers.set(HttpHeaders.RETRY_AFTER, retryAfter);
		}
		return Classified.describe(this.rules.classify(status, headers));
	}

}
