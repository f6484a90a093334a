package dev.backoff;

import org.junit.jupiter.api.Test;

import dev.backoff.event.CallRecorder;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

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

}
