package dev.backoff.spring.observation;

import java.util.List;
import java.util.Optional;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.DelaySource;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;

/**
 * Count calls where there are no meters, for whoever asks this process. Thread-safe.
 *
 * @since 0.1
 */
public final class PlainRecorders implements CallRecorder.Factory, CallStatistics {

	private final BoundedMethods<Counts> methods = new BoundedMethods<>(Counts::new);

	/**
	 * Make one that has counted nothing.
	 */
	public PlainRecorders() {
	}

	@Override
	public CallRecorder recorder(String policy, String method) {
		return this.methods.get(policy, method);
	}

	@Override
	public Optional<MethodCalls> of(String policy, String method) {
		return Optional.ofNullable(this.methods.find(policy, method)).map(Counts::calls);
	}

	@Override
	public List<MethodCalls> all() {
		return this.methods.all().stream().map(Counts::calls).toList();
	}

	/** The numbers of one method. */
	private static final class Counts implements CallRecorder {

		private final String policy;

		private final String method;

		private final ReasonCounts calls = new ReasonCounts();

		private final AttemptCounts attempts = new AttemptCounts();

		Counts(String policy, String method) {
			this.policy = policy;
			this.method = method;
		}

		MethodCalls calls() {
			return this.attempts.with(this.policy, this.method, this.calls::get);
		}

		@Override
		public void attempt(int number, AttemptOutcome outcome, long nanos) {
			this.attempts.attempt(outcome);
		}

		@Override
		public void call(StopReason reason, long nanos) {
			this.calls.increment(reason);
		}

		@Override
		public void waiting(DelaySource source, long nanos) {
		}

		@Override
		public void waited() {
		}

		@Override
		public void retry(RetryCause cause) {
			this.attempts.retry();
		}

		@Override
		public void recovered(boolean done) {
		}

	}

}
