package dev.backoff;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.FailureClassifier.FailedRequest;
import dev.backoff.failure.Idempotency;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Which failures are retried where it has been said whether work may be repeated. */
class IdempotencyTests {

	private static final URI PAY = URI.create("http://pay.example:81/orders");

	private final RecordingListener listener = new RecordingListener();

	private final IOException failure = new IOException("reset");

	private FailureClassification classification;

	/* What the client says of the failure, which is its own unless this is null. */
	private FailedRequest failed = new FailedRequest(null, null);

	private Requests request = () -> {
	};

	private final FailureClassifier client = new FailureClassifier() {

		@Override
		public FailureClassification classify(Throwable failure) {
			return IdempotencyTests.this.classification;
		}

		@Override
		public FailedRequest failedRequest(Throwable failure) {
			return IdempotencyTests.this.failed;
		}

	};

	@Nested
	class No {

		@ParameterizedTest
		@EnumSource(names = { "CONNECT", "POOL" })
		void isRetriedWhatReachedNobody(RetryCause cause) {
			assertThat(attempts(Idempotency.NO, FailureClassification.transientFailure(cause))).isEqualTo(3);
		}

		@ParameterizedTest
		@EnumSource(names = { "HTTP_429", "HTTP_503" })
		void isRetriedWhatWasRefusedForLoad(RetryCause cause) {
			assertThat(attempts(Idempotency.NO, FailureClassification.throttled(cause).withHint(Duration.ofSeconds(1))))
				.isEqualTo(3);
		}

		@ParameterizedTest
		@EnumSource(names = { "CONNECT", "POOL" }, mode = EnumSource.Mode.EXCLUDE)
		void isNotRetriedWhatMayHaveBeenApplied(RetryCause cause) {
			assertThat(attempts(Idempotency.NO, FailureClassification.transientFailure(cause))).isOne();
			assertThat(stop().report())
				.hasMessageContaining("NOT_RETRYABLE, the work may have been applied and is not idempotent");
			assertThat(stop().report().reason()).isEqualTo(StopReason.NOT_RETRYABLE);
		}

		@Test
		void isNotRetriedWhatNobodyClassified() {
			assertThat(attempts(Idempotency.NO, null)).isOne();
			assertThat(stop().report()).hasMessageContaining("may have been applied");
		}

		@Test
		void aClassifierMayKnowBetter() {
			assertThat(attempts(Idempotency.NO, FailureClassification.transientFailure(RetryCause.IO).withoutEffect()))
				.isEqualTo(3);
			assertThat(attempts(Idempotency.NO,
					FailureClassification.throttled(RetryCause.GRPC).withPossibleEffect().withHint(Duration.ZERO)))
				.isOne();
		}

	}

	@Nested
	class ByKey {

		private final FailureClassification conflict = FailureClassification.permanent(RetryCause.OTHER)
			.retryableByKey();

		@Test
		void isRetriedAConflictOfTwoRequestsWithOneKey() {
			IdempotencyTests.this.request = () -> Attempt.current().idempotencyKey();
			assertThat(attempts(Idempotency.BY_KEY, this.conflict)).isEqualTo(3);
			assertThat(attempts(Idempotency.BY_KEY, this.conflict.withHint(Duration.ofSeconds(1)))).isEqualTo(3);
		}

		@Test
		void isNotRetriedAConflictIfNoKeyWasSent() {
			assertThat(attempts(Idempotency.BY_KEY, this.conflict)).isOne();
		}

		@Test
		void isJudgedByMethodWithoutAKeyOfThisAttempt() {
			boolean[] sent = new boolean[1];
			IdempotencyTests.this.request = () -> {
				OutboundRequest request = OutboundRequest.begin("POST", PAY);
				sent[0] = !sent[0] && request.idempotencyKey() != null;
			};
			assertThat(attempts(Idempotency.BY_KEY, null)).isEqualTo(2);
			assertThat(stop().report())
				.hasMessageContaining("the POST to pay.example:81 may have been applied, and no idempotency key was "
						+ "sent: add the host to backoff.http.hosts, or send Attempt.current().idempotencyKey()");
			assertThat(stop().isUnmeant()).isTrue();
		}

		@Test
		void theKeyOfACallBesideItDoesNotCount() {
			IdempotencyTests.this.request = () -> {
				retry(Idempotency.BY_KEY).call(() -> OutboundRequest.begin("POST", PAY).idempotencyKey());
				retry(Idempotency.BY_KEY).call(() -> OutboundRequest.begin("POST", PAY));
			};
			assertThat(attempts(Idempotency.BY_METHOD, null)).isOne();
		}

		@ParameterizedTest
		@EnumSource(names = "BY_KEY", mode = EnumSource.Mode.EXCLUDE)
		void isNotRetriedAConflictWithoutKeys(Idempotency idempotency) {
			assertThat(attempts(idempotency, this.conflict)).isOne();
			assertThat(stop().report()).hasMessageContaining("IOException is permanent");
		}

		@Test
		void isNotRetriedWhatIsPermanentAllTheSame() {
			assertThat(attempts(Idempotency.BY_KEY, FailureClassification.permanent(RetryCause.OTHER))).isOne();
		}

		@Test
		void isNotRetriedAConflictThatIsOnTheAbortList() {
			assertThat(
					attempts(Idempotency.BY_KEY, this.conflict, (policy) -> policy.abortOn(List.of(IOException.class))))
				.isOne();
		}

	}

	/** Requests and failures of an HTTP client, which answers to a POST last. */
	@Nested
	class ByMethod {

		private final FailureClassification io = FailureClassification.transientFailure(RetryCause.IO);

		private final FailureClassification connect = FailureClassification.transientFailure(RetryCause.CONNECT);

		@ParameterizedTest
		@ValueSource(strings = { "POST", "PATCH", "LOCK", "MKCOL", "post" })
		void isNotRetriedAnUnsafeRequest(String method) {
			sends(method);
			assertThat(attempts(null, this.io)).isOne();
			assertThat(stop().report()).hasMessageContaining("NOT_RETRYABLE, the " + method
					+ " to pay.example:81 may have been applied; set idempotent to true if a repetition does no harm, "
					+ "to by-key if the server honours the key, or to by-method to keep this (policy");
			assertThat(stop().isUnmeant()).isTrue();
		}

		@ParameterizedTest
		@ValueSource(strings = { "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "PROPFIND", "REPORT",
				"SEARCH" })
		void isRetriedASafeRequest(String method) {
			sends(method);
			assertThat(attempts(null, this.io)).isEqualTo(3);
		}

		@Test
		void isSaidWhenWritten() {
			sends("POST");
			assertThat(attempts(Idempotency.BY_METHOD, this.io)).isOne();
			assertThat(stop().isUnmeant()).isFalse();
			assertThat(attempts(Idempotency.BY_METHOD, this.io, (policy) -> policy.until((result, context) -> true)))
				.isOne();
		}

		@Test
		void isNotMeantIfAStateIsAskedForAgainOrNothingIsRepeated() {
			sends("POST");
			assertThat(attempts(null, this.io, (policy) -> policy.until((result, context) -> true))).isEqualTo(3);
			assertThat(attempts(null, this.io, (policy) -> policy.maxAttempts(1))).isOne();
			assertThat(stop().report().reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void isRetriedARequestThatWasNotApplied() {
			sends("GET", "POST");
			assertThat(attempts(null, this.connect)).isEqualTo(3);
			assertThat(attempts(null, this.io.unapplied())).isEqualTo(3);
			assertThat(attempts(null, FailureClassification.throttled(RetryCause.HTTP_429))).isEqualTo(3);
			assertThat(attempts(Idempotency.NO, this.io.unapplied())).isOne();
		}

		@ParameterizedTest
		@ValueSource(strings = { "POST, POST", "POST, GET" })
		void isNotRetriedIfAnUnsafeRequestWasSentBefore(String methods) {
			sends(methods.split(", "));
			assertThat(attempts(null, this.connect)).isOne();
		}

		@Test
		void isNotRetriedAfterAFailureOfAnotherClient() {
			sends("POST");
			IdempotencyTests.this.failed = null;
			assertThat(attempts(null, this.connect)).isOne();
		}

		@Test
		void isNotRetriedWhereListsDecideAlone() {
			IdempotencyTests.this.failed = new FailedRequest("POST", PAY);
			assertThat(attempts(null, this.connect, (policy) -> policy.judgedByLists(true))).isOne();
			assertThat(stop().report().host()).isEqualTo("pay.example:81");
		}

		@ParameterizedTest
		@CsvSource({ "http://pay/orders, 3", "http://pay.example:81/orders, 3", "http://pay.example:81/cards, 1" })
		void aRequestThatItsFailureNamesAgainIsTheSame(URI uri, int attempts) {
			sends("POST");
			IdempotencyTests.this.failed = new FailedRequest("POST", uri);
			assertThat(attempts(null, this.connect)).isEqualTo(attempts);
		}

		@Test
		void anyClassifierMayNameTheRequest() {
			FailureClassifier other = new FailureClassifier() {

				@Override
				public FailureClassification classify(Throwable failure) {
					return null;
				}

				@Override
				public FailedRequest failedRequest(Throwable failure) {
					return new FailedRequest("POST", PAY);
				}

			};
			assertThat(attempts(null, this.io,
					(policy) -> policy.classifiers(List.of(IdempotencyTests.this.client, other))))
				.isOne();
		}

		@Test
		void whatAnotherThreadSentCounts() {
			IdempotencyTests.this.request = () -> {
				Thread thread = new Thread(RetryContext.capture().wrap(() -> {
					OutboundRequest.begin("POST", PAY);
				}));
				thread.start();
				thread.join();
			};
			assertThat(attempts(null, this.io)).isOne();
		}

		/* An inner call that says nothing leaves the judgement to the outer policy. */
		@ParameterizedTest
		@CsvSource(nullValues = "-", value = { "-, -, 1", "-, YES, 3", "BY_METHOD, YES, 3", "NO, YES, 1", "YES, -, 3",
				"BY_KEY, -, 1", "BY_KEY, YES, 3" })
		void anOuterPolicyJudgesItself(Idempotency inner, Idempotency outer, int attempts) {
			int[] requests = new int[1];
			IdempotencyTests.this.request = () -> retry(inner, (policy) -> policy.maxAttempts(2)).call(() -> {
				requests[0]++;
				OutboundRequest.begin("POST", PAY);
				if (inner != Idempotency.YES) {
					throw IdempotencyTests.this.failure;
				}
				return null;
			});
			assertThat(attempts(outer, this.io)).isEqualTo(attempts);
			assertThat(requests[0]).isEqualTo(attempts);
		}

		@Test
		void anOuterPolicyByKeyRepeatsARequestThatHasItsKey() {
			Set<String> keys = new HashSet<>();
			IdempotencyTests.this.request = () -> retry(null).call(() -> {
				keys.add(OutboundRequest.begin("POST", PAY).idempotencyKey());
				throw IdempotencyTests.this.failure;
			});
			assertThat(attempts(Idempotency.BY_KEY, this.io)).isEqualTo(3);
			assertThat(keys).hasSize(1).doesNotContainNull();
		}

		private void sends(String... methods) {
			IdempotencyTests.this.request = () -> Stream.of(methods)
				.forEach((method) -> OutboundRequest.begin(method, PAY));
		}

	}

	@ParameterizedTest
	@EnumSource(names = "NO", mode = EnumSource.Mode.EXCLUDE)
	void whatMayHaveBeenAppliedIsRetriedElse(Idempotency idempotency) {
		assertThat(attempts(idempotency, FailureClassification.transientFailure(RetryCause.TIMEOUT))).isEqualTo(3);
		assertThat(attempts(idempotency, null)).isEqualTo(3);
	}

	private int attempts(Idempotency idempotency, FailureClassification classification) {
		return attempts(idempotency, classification, (policy) -> policy);
	}

	private int attempts(Idempotency idempotency, FailureClassification classification,
			UnaryOperator<RetryPolicyBuilder> more) {
		this.classification = classification;
		int[] attempts = new int[1];
		Retry retry = retry(idempotency, more);
		assertThatThrownBy(() -> retry.call(() -> {
			attempts[0]++;
			this.request.run();
			throw this.failure;
		})).isSameAs(this.failure);
		return attempts[0];
	}

	private RetryEvent.Stopped stop() {
		List<RetryEvent.Stopped> stops = this.listener.stopped();
		return stops.get(stops.size() - 1);
	}

	private Retry retry(Idempotency idempotency) {
		return retry(idempotency, (policy) -> policy);
	}

	private Retry retry(Idempotency idempotency, UnaryOperator<RetryPolicyBuilder> more) {
		RetryPolicyBuilder policy = RetryPolicy.builder("orders").maxAttempts(3).classifiers(List.of(this.client));
		if (idempotency != null) {
			policy.idempotency(idempotency);
		}
		return Retry.builder(more.apply(policy).build()).time(new VirtualTime()).listener(this.listener).build();
	}

	/** Work that sends requests. */
	@FunctionalInterface
	private interface Requests {

		void run() throws Exception;

	}

}
