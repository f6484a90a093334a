package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.Idempotency;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Which failures are retried where it has been said whether work may be repeated. */
class IdempotencyTests {

	private final RecordingListener listener = new RecordingListener();

	private final IOException failure = new IOException("reset");

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
			assertThat(IdempotencyTests.this.listener.report())
				.hasMessageContaining("NOT_RETRYABLE, the work may have been applied and is not idempotent");
			assertThat(IdempotencyTests.this.listener.report().reason()).isEqualTo(StopReason.NOT_RETRYABLE);
		}

		@Test
		void isNotRetriedWhatNobodyClassified() {
			assertThat(attempts(Idempotency.NO, null)).isOne();
			assertThat(IdempotencyTests.this.listener.report()).hasMessageContaining("may have been applied");
		}

		@Test
		void isNotRetriedWhatIsOnlyListed() {
			assertThat(attempts(Idempotency.NO, null, (policy) -> policy.retryOn(List.of(IOException.class)))).isOne();
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
			assertThat(attempts(Idempotency.BY_KEY, this.conflict)).isEqualTo(3);
			assertThat(attempts(Idempotency.BY_KEY, this.conflict.withHint(Duration.ofSeconds(1)))).isEqualTo(3);
		}

		@ParameterizedTest
		@EnumSource(names = "BY_KEY", mode = EnumSource.Mode.EXCLUDE)
		void isNotRetriedAConflictWithoutKeys(Idempotency idempotency) {
			assertThat(attempts(idempotency, this.conflict)).isOne();
			assertThat(IdempotencyTests.this.listener.report()).hasMessageContaining("IOException is permanent");
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
		ScriptedOperation<String> work = ScriptedOperation.<String>script().fails(this.failure);
		RetryPolicy policy = more
			.apply(RetryPolicy.builder("orders")
				.maxAttempts(3)
				.idempotency(idempotency)
				.classifiers(List.of((FailureClassifier) (failure) -> classification)))
			.build();
		Retry retry = Retry.builder(policy).time(new VirtualTime()).listener(this.listener).build();
		assertThatThrownBy(() -> retry.call(work)).isSameAs(this.failure);
		return work.calls();
	}

}
