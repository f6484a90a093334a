package dev.backoff;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.DelaySource;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests for {@link CallRecorder}, as somebody else implements it. */
class CallRecorderTests {

	private final List<String> recorded = new ArrayList<>();

	@Test
	void recordsTheAttemptAndTheCallUnlessItDoesLess() {
		new Recorder(false).succeededAtOnce(7);
		assertThat(this.recorded).containsExactly("attempt 1 SUCCESS 7", "call SUCCEEDED 7");
	}

	@Test
	void recordsTheCallThoughItFailsToRecordTheAttempt() {
		assertThatThrownBy(() -> new Recorder(true).succeededAtOnce(7)).hasMessage("attempt");
		assertThat(this.recorded).containsExactly("attempt 1 SUCCESS 7", "call SUCCEEDED 7");
	}

	@Test
	void isToldOfCallsThatSucceedAtOnceThoughItThrows() throws Exception {
		String result = Retry.builder(RetryPolicy.builder("p").build())
			.time(new VirtualTime())
			.recorder(new Recorder(true))
			.build()
			.call(ScriptedOperation.<String>script().returns("good"));
		assertThat(result).isEqualTo("good");
		assertThat(this.recorded).containsExactly("attempt 1 SUCCESS 0", "call SUCCEEDED 0");
	}

	/** One that knows nothing of calls that succeed at once. */
	private final class Recorder implements CallRecorder {

		private final boolean failing;

		Recorder(boolean failing) {
			this.failing = failing;
		}

		@Override
		public void attempt(int number, AttemptOutcome outcome, long nanos) {
			CallRecorderTests.this.recorded.add("attempt " + number + " " + outcome + " " + nanos);
			if (this.failing) {
				throw new IllegalStateException("attempt");
			}
		}

		@Override
		public void call(StopReason reason, long nanos) {
			CallRecorderTests.this.recorded.add("call " + reason + " " + nanos);
		}

		@Override
		public void waiting(DelaySource source, long nanos) {
		}

		@Override
		public void waited() {
		}

		@Override
		public void retry(RetryCause cause) {
		}

		@Override
		public void recovered(boolean done) {
		}

	}

}
