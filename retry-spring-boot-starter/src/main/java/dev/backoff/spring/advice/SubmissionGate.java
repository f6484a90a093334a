package dev.backoff.spring.advice;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import dev.backoff.Operation;
import dev.backoff.ResumeResult;
import dev.backoff.ResumedCall;
import dev.backoff.Retry;
import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Store the calls of durable methods. A call that {@link #DUE} announces is an attempt of
 * a stored call instead, which our advice makes. The module
 * {@code retry-durable-spring-boot-starter} has the only implementation. Implementations
 * are thread-safe.
 *
 * @since 0.1
 */
public interface SubmissionGate {

	/** The class that durable methods return, a part of that module: {@value}. */
	String HANDLE = "dev.backoff.durable.DurableCall";

	/** The attempt that the thread makes through the bean's proxy, until our advice. */
	ThreadLocal<@Nullable DueAttempt> DUE = new ThreadLocal<>();

	/** Store a call; return the value for the caller. */
	@Nullable Object store(AnnotatedMethod method, Retry retry, MethodInvocation invocation);

	/** Remove a stored call by its observed key, so that a test can start afresh. */
	void remove(String policy, String key);

	/** An attempt of a stored call. */
	interface DueAttempt {

		/** Return the method that the attempt calls. */
		AnnotatedMethod method();

		/** Return the stored state of the call. */
		ResumedCall call();

		/** Return whether the recovery follows a stop. */
		boolean recovered();

		/** Run the method in the attempt; return the result that conditions judge. */
		@Nullable Object run(Operation<?, ?> method) throws Throwable;

		/** Note what follows the attempt. */
		void made(ResumeResult next);

	}

}
