package dev.backoff.spring.advice;

import java.util.function.Consumer;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import dev.backoff.Operation;
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

	/**
	 * An attempt of a stored call.
	 *
	 * @param recovered whether the recovery follows a stop
	 * @param body runs the method and returns the result that conditions judge
	 * @param made gets what follows the attempt
	 */
	record DueAttempt(AnnotatedMethod method, ResumedCall call, boolean recovered,
			Operation.OnContext<Operation<?, ?>, @Nullable Object, Throwable> body, Consumer<ResumedCall.Result> made) {
	}

}
