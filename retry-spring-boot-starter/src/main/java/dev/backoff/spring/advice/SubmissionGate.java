package dev.backoff.spring.advice;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import dev.backoff.ResumedCall;
import dev.backoff.ResumeResult;
import dev.backoff.Operation;
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
	 * Store a call, or make the attempt that this thread was marked for. Return what the
	 * caller gets.
	 */
	@Nullable Object pass(AnnotatedMethod method, Retry retry, MethodInvocation invocation, Attempts attempts);

	/** Run the method in an attempt; return the result that conditions judge. */
	@Nullable Object run(Operation<?, ?> method) throws Throwable;

	/** Remove a stored call by its observed key, for tests that begin anew. */
	void remove(String policy, String key);

	/** Makes attempts of stored calls. */
	@FunctionalInterface
	interface Attempts {

		/** Make an attempt, with the method's recovery after a stop or without. */
		ResumeResult make(ResumedCall call, boolean recovered);

	}

}
