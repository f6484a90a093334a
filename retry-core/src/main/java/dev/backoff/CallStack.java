package dev.backoff;

import org.jspecify.annotations.Nullable;

/**
 * The calls that are running on one thread, innermost on top.
 * <p>
 * A thread keeps its stack and the {@link RetryCall}s on it for good and clears them
 * after use: setting and removing a thread local for each call would cost more than all
 * else the library does on a call that succeeds at once.
 */
final class CallStack {

	private static final ThreadLocal<CallStack> STACKS = ThreadLocal.withInitial(CallStack::new);

	private RetryCall top = new RetryCall(null);

	static CallStack ofThread() {
		return STACKS.get();
	}

	RetryCall push() {
		RetryCall call = this.top.inner();
		this.top = call;
		return call;
	}

	void pop(RetryCall call) {
		call.clear();
		RetryCall enclosing = call.enclosing();
		if (enclosing != null) {
			this.top = enclosing;
		}
	}

	/** Return the innermost running call, or null. */
	@Nullable RetryCall running() {
		return this.top.isRunning() ? this.top : null;
	}

}
