package dev.backoff.spring.advice;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import dev.backoff.Operation;
import dev.backoff.ResumeResult;
import dev.backoff.ResumedCall;
import dev.backoff.Retry;
import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * The gate that calls of durable methods pass. It stores a call, or makes an attempt of a
 * stored call. The module {@code retry-durable-spring-boot-starter} has the only
 * implementation. Implementations are thread-safe.
 *
 * @since 0.1
 */
public interface SubmissionGate {

	/** The class that durable methods return, a part of that module: {@value}. */
	String HANDLE = "dev.backoff.durable.DurableCall";

	/**
	 * Store a call, or make the attempt that this thread was marked for. Return the value
	 * for the caller.
	 */
	@Nullable Object pass(AnnotatedMethod method, Retry retry, MethodInvocation invocation, Attempts attempts);

	/** Run the method in an attempt; return the result that conditions judge. */
	@Nullable Object run(Operation<?, ?> method) throws Throwable;

	/** Remove a stored call by its observed key, so that a test can start afresh. */
	void remove(String policy, String key);

	/** Makes attempts of stored calls. */
	@FunctionalInterface
	interface Attempts {

		/** Make an attempt; if {@code recovered}, with the recovery after a stop. */
		ResumeResult make(ResumedCall call, boolean recovered);

	}

}
