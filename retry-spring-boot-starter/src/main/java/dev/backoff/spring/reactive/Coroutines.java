package dev.backoff.spring.reactive;

import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.flow.FlowKt;
import org.jspecify.annotations.Nullable;

import dev.backoff.RetryContext;

/**
 * Carry the attempt that runs on this thread into the coroutines it starts, which may run
 * later and elsewhere. Loaded only where there are coroutines.
 */
public final class Coroutines {

	private Coroutines() {
	}

	/**
	 * Carry the attempt into a function that suspends.
	 * @param arguments the function's arguments, of which the last one is its
	 * continuation
	 * @return the same arguments with another continuation
	 */
	public static @Nullable Object[] withAttempt(@Nullable Object[] arguments) {
		int last = arguments.length - 1;
		if (last >= 0 && arguments[last] instanceof Continuation<?> continuation) {
			arguments[last] = new Attempted(continuation, withAttempt(continuation.getContext()));
		}
		return arguments;
	}

	private static CoroutineContext withAttempt(CoroutineContext context) {
		return context.plus(new AttemptElement(RetryContext.capture()));
	}

	/**
	 * Carry the attempt into a flow.
	 * @param flow what a function returns
	 * @return a flow of the same elements, or what is no flow as it is
	 */
	public static @Nullable Object withAttempt(@Nullable Object flow) {
		return (flow instanceof Flow<?> elements) ? FlowKt.flowOn(elements, new AttemptElement(RetryContext.capture()))
				: flow;
	}

	/**
	 * A continuation that tells another context.
	 *
	 * @param continuation what is continued
	 * @param context the context
	 */
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

}
