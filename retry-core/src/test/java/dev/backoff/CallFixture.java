package dev.backoff;

import java.io.IOException;

import org.junit.jupiter.api.AfterEach;

import dev.backoff.delay.Jitter;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls in virtual time, and what they tell. Extend it to test them. */
abstract class CallFixture {

	private final VirtualTime time = new VirtualTime();

	private final RecordingListener listener = new RecordingListener();

	private final RecordingRecorder recorder = new RecordingRecorder();

	private final CallRegistry waiting = new CallRegistry();

	private final IOException failure = new IOException("down");

	@AfterEach
	final void leavesNothingBehind() {
		assertThat(Thread.interrupted()).as("interrupt flag").isFalse();
		assertThat(Attempt.isRunning()).as("running attempt").isFalse();
		assertThat(this.time.pending()).as("scheduled tasks").isZero();
		assertThat(this.waiting.waiting()).as("waiting calls").isZero();
	}

	/** Return a policy with four attempts, and 100 ms, 200 ms and 400 ms between them. */
	static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("orders").jitter(Jitter.none());
	}

	final Retry retry(RetryPolicyBuilder policy) {
		return builder(policy).build();
	}

	final RetryBuilder builder(RetryPolicyBuilder policy) {
		return Retry.builder(policy.build())
			.method("OrderService.place")
			.time(this.time)
			.executor(Runnable::run)
			.calls(this.waiting)
			.listener(this.listener)
			.recorder(this.recorder);
	}

	final VirtualTime time() {
		return this.time;
	}

	final RecordingListener listener() {
		return this.listener;
	}

	final RecordingRecorder recorder() {
		return this.recorder;
	}

	/** Return where calls wait. */
	final CallRegistry waiting() {
		return this.waiting;
	}

	/** Return what attempts fail with. */
	final IOException failure() {
		return this.failure;
	}

	/** Return work that always fails with {@link #failure()}. */
	final ScriptedOperation<String> failing() {
		return ScriptedOperation.<String>script().fails(this.failure);
	}

	/** Return the stop report of the one call that has stopped. */
	final RetriesStoppedException report() {
		return this.listener.report();
	}

	final StopReason reason() {
		return report().reason();
	}

}
