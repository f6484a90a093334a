package dev.backoff.spring.advice;

import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import dev.backoff.Recovery;
import dev.backoff.Retry;
import dev.backoff.spring.reactive.ObservationCarrier;

/** Calls of a method that gives its result later. Thread-safe. */
@FunctionalInterface
interface LaterCalls {

	/** Return what the caller gets in place of what the method returns. */
	@Nullable Object call(MethodInvocation invocation) throws Throwable;

	/** Start one attempt of a method. */
	@FunctionalInterface
	interface Attempts {

		/**
		 * Invoke the method.
		 * @param invocation the call
		 * @param anew whether the invocation itself may be over, so that this needs one
		 * of its own
		 * @return what the method returns
		 */
		@Nullable Object invoke(MethodInvocation invocation, boolean anew) throws Throwable;

	}

	/**
	 * What calls are made of.
	 *
	 * @param retry the method's retry
	 * @param attempts starts attempts
	 * @param recovery what follows an unsuccessful stop, or null
	 * @param plan returns the method's plan, which may change
	 * @param executor returns what runs later attempts, with what is bound to this thread
	 * @param observations carries observations in Reactor contexts, or null
	 */
	record Parts(Retry retry, Attempts attempts,
			@Nullable Recovery<MethodInvocation, @Nullable Object, Throwable> recovery, Supplier<MethodPlan> plan,
			Supplier<? extends Executor> executor, @Nullable ObservationCarrier observations) {
	}

}
