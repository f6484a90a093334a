package dev.backoff.spring.observation;

import dev.backoff.event.CallRecorder;

/** Count calls where there are no meters, for the endpoint. Thread-safe. */
final class PlainRecorders extends BoundedRecorders<MethodCounts> implements CallRecorder.Factory {

	/** Create the recorders. */
	public PlainRecorders() {
	}

	@Override
	public CallRecorder recorder(String policy, String method) {
		return get(policy, method);
	}

	@Override
	MethodCounts make(String policy, String method) {
		return new MethodCounts(policy, method);
	}

}
