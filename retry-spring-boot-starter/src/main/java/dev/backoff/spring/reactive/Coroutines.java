package dev.backoff.spring.reactive;

import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.ThreadContextElement;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.flow.FlowKt;
import org.jspecify.annotations.Nullable;

import dev.backoff.RetryContext;

/**
 * Carry the attempt that runs on this thread into the coroutines that it starts.
 * Coroutines may run later and on other threads. Loaded only where there are coroutines.
 */
public final class Coroutines {

	private Coroutines() {
	}

	/** Carry the attempt into a function that suspends: change its last argument. */
	public static @Nullable Object[] withAttempt(@Nullable Object[] arguments) {
		int last = arguments.length - 1;
		if (last >= 0 && arguments[last] instanceof Continuation<?> continuation) {
			arguments[last] = new Attempted(continuation, continuation.getContext().plus(new RunningAttempt()));
		}
		return arguments;
	}

	/** Carry the attempt into a flow, if the result is one. */
	public static @Nullable Object withAttempt(@Nullable Object returned) {
		return (returned instanceof Flow<?> flow) ? FlowKt.flowOn(flow, new RunningAttempt()) : returned;
	}

	/** A continuation with another context. */
	private record Attempted(Continuation<?> continuation, CoroutineContext context) implements Continuation<Object> {

		@Override
		public CoroutineContext getContext() {
			return this.context;
		}

		@Override
		public void resumeWith(Object result) {
			this.continuation.resumeWith(result);
		}

	}

	/** Open an attempt on each thread that its coroutine runs on. */
	private static final class RunningAttempt extends AbstractCoroutineContextElement
			implements ThreadContextElement<RetryContext.Scope> {

		private static final CoroutineContext.Key<RunningAttempt> KEY = new CoroutineContext.Key<>() {
		};

		private final RetryContext attempt = RetryContext.capture();

		RunningAttempt() {
			super(KEY);
		}

		@Override
		public RetryContext.Scope updateThreadContext(CoroutineContext context) {
			return this.attempt.open();
		}

		@Override
		public void restoreThreadContext(CoroutineContext context, RetryContext.Scope scope) {
			scope.close();
		}

	}

}
