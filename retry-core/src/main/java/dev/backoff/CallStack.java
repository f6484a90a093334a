package dev.backoff;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The calls that are running on one thread, innermost on top.
 * <p>
 * A thread keeps its stack and the {@link RetryCall}s on it from call to call and clears
 * them after use: setting and removing a thread local for each call would cost more than
 * all else the library does on a call that succeeds at once.
 */
final class CallStack {

	/*
	 * Weak, and of the JDK: threads outlive applications, and one that ended must not be
	 * kept by them. A running call holds the stack, so it only goes between calls.
	 */
	private static final ThreadLocal<@Nullable Reference<CallStack>> STACKS = new ThreadLocal<>();

	private final List<RetryListener> told = new ArrayList<>(2);

	private RetryCall top = new RetryCall(null);

	static CallStack ofThread() {
		Reference<CallStack> known = STACKS.get();
		CallStack stack = (known != null) ? known.get() : null;
		if (stack == null) {
			stack = new CallStack();
			STACKS.set(new WeakReference<>(stack));
		}
		return stack;
	}

	RetryCall push() {
		RetryCall call = this.top.inner();
		this.top = call;
		return call;
	}

	/** Put what began elsewhere around the calls to come. */
	RetryCall adopt(RetryCall.Origin origin) {
		RetryCall adopted = new RetryCall(this.top);
		adopted.adopt(origin);
		this.top = adopted;
		return adopted;
	}

	/** Take it away again, with what is still open inside; once. */
	void abandon(RetryCall adopted) {
		for (RetryCall call = this.top; call != null; call = call.enclosing()) {
			RetryCall enclosing = call.enclosing();
			if (call == adopted && enclosing != null) {
				this.top = enclosing;
			}
		}
		adopted.clear();
	}

	void pop(RetryCall call) {
		call.clear();
		RetryCall enclosing = call.enclosing();
		if (enclosing != null) {
			this.top = enclosing;
		}
	}

	/**
	 * Note that a listener is about to be told.
	 * @return false if this thread is within the listener already
	 */
	boolean enter(RetryListener listener) {
		for (RetryListener entered : this.told) {
			if (entered == listener) {
				return false;
			}
		}
		return this.told.add(listener);
	}

	/** Note that the listener entered last has been told. */
	void leave() {
		this.told.remove(this.told.size() - 1);
	}

	/** Return the innermost running call, or null. */
	@Nullable RetryCall running() {
		return this.top.isRunning() ? this.top : null;
	}

}
