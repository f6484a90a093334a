package dev.backoff;

import java.io.IOException;
import java.net.SocketException;
import java.util.List;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.event.CallRecorder;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests for a {@link CallRecorder} that implements no more than it must. */
class CallRecorderTests {

	private final RecordingRecorder plain = new RecordingRecorder();

	private final RecordingRecorder failing = new RecordingRecorder((line) -> {
		if (line.startsWith("attempt")) {
			throw new IllegalStateException("attempt");
		}
	});

	@Test
	void recordsTheAttemptAndTheCallUnlessItDoesLess() {
		this.plain.succeededOnFirstAttempt(7);
		assertThat(this.plain.lines()).containsExactly("attempt 1 success 7ns", "call succeeded 7ns");
	}

	@Test
	void recordsTheCallThoughItFailsToRecordTheAttempt() {
		assertThatThrownBy(() -> this.failing.succeededOnFirstAttempt(7)).hasMessage("attempt");
		assertThat(this.failing.lines()).containsExactly("attempt 1 success 7ns", "call succeeded 7ns");
	}

	@Test
	void isToldOfCallsThatSucceedAtOnceThoughItThrows() throws Exception {
		String result = Retry.builder(RetryPolicy.builder("p").build())
			.time(new VirtualTime())
			.recorder(this.failing)
			.build()
			.call(ScriptedOperation.<String>script().returns("good"));
		assertThat(result).isEqualTo("good");
		assertThat(this.failing.lines()).containsExactly("attempt 1 success 0ms", "call succeeded 0ms");
	}

	@Nested
	class IsToldOfARetriedCall {

		private final RetryPolicyBuilder policy = RetryPolicy.builder("p")
			.maxAttempts(3)
			.classifiers(List.<FailureClassifier>of((failure) -> FailureClassification
				.transientFailure((failure instanceof SocketException) ? RetryCause.CONNECT : RetryCause.LOCK)));

		private RetryBuilder retry() {
			return Retry.builder(this.policy.build()).time(new VirtualTime()).recorder(CallRecorderTests.this.plain);
		}

		@Test
		void withTheCauseOfItsFirstFailure() throws Exception {
			assertThat(retry().build()
				.call(ScriptedOperation.<String>script()
					.fails(new SocketException())
					.fails(new IOException())
					.returns("good")))
				.isEqualTo("good");
			assertThatThrownBy(() -> retry().build().call(() -> {
				throw new IOException();
			})).isInstanceOf(IOException.class);
			assertThat(CallRecorderTests.this.plain.retried()).containsExactly("connect 3 rescued", "lock 3");
		}

		@Test
		void butNotOfOneAttemptNorOfPolling() throws Exception {
			assertThat(retry().build().call(() -> "good")).isEqualTo("good");
			assertThatThrownBy(() -> retry().enabledWhen(() -> false).build().call(() -> {
				throw new IOException();
			})).isInstanceOf(IOException.class);
			this.policy.until((result, arguments) -> "done".equals(result));
			assertThat(retry().build()
				.call(ScriptedOperation.<String>script().fails(new IOException()).returns("not yet").returns("done")))
				.isEqualTo("done");
			assertThat(CallRecorderTests.this.plain.lines("call")).hasSize(3);
			assertThat(CallRecorderTests.this.plain.retried()).isEmpty();
		}

	}

}
