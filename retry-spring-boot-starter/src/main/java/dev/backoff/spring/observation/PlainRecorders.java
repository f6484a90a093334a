package dev.backoff.spring.observation;

import java.util.List;
import java.util.Optional;

import dev.backoff.event.CallRecorder;

/**
 * Count calls where there are no meters, for the endpoint. Thread-safe.
 *
 * @since 0.1
 */
public final class PlainRecorders implements CallRecorder.Factory, CallStatistics {

	private final BoundedMethods<MethodCounts> methods = new BoundedMethods<>(MethodCounts::new);

	/**
	 * Create the recorders.
	 */
	public PlainRecorders() {
	}

	@Override
	public CallRecorder recorder(String policy, String method) {
		return this.methods.get(policy, method);
	}

	@Override
	public Optional<MethodCalls> of(String policy, String method) {
		return Optional.ofNullable(this.methods.find(policy, method)).map(MethodCounts::statistics);
	}

	@Override
	public List<MethodCalls> all() {
		return this.methods.all().stream().map(MethodCounts::statistics).toList();
	}

}
