package dev.backoff.spring.advice;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import dev.backoff.KeptCall;
import dev.backoff.KeptNext;
import dev.backoff.Retry;
import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * What calls of durable methods pass: a call is stored, and an attempt of a stored call
 * is made. The module {@code retry-durable-spring-boot-starter} has the only
 * implementation. Implementations are thread-safe.
 *
 * @since 0.1
 */
public interface SubmissionGate {

	/** The class of what durable methods return, which that module has: {@value}. */
	String HANDLE = "dev.backoff.durable.DurableCall";

	/**
	 * Store a call, or make the attempt that this thread was marked for.
	 * @param method the durable method
	 * @param retry its retry, with the policy in effect
	 * @param invocation the call
	 * @param attempts makes attempts by this invocation
	 * @return what the caller gets
	 */
	@Nullable Object pass(AnnotatedMethod method, Retry retry, MethodInvocation invocation, Attempts attempts);

	/**
	 * {@return the result that conditions judge}
	 * @param returned what the method has returned
	 */
	@Nullable Object judged(@Nullable Object returned);

	/** Makes attempts of stored calls. */
	@FunctionalInterface
	interface Attempts {

		/**
		 * Make an attempt.
		 * @param call what is known of the call
		 * @param recovered whether the method's recovery follows an unsuccessful stop
		 * @return what follows
		 */
		KeptNext make(KeptCall call, boolean recovered);

	}

}
