package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.concurrent.CompletionStage;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

import dev.backoff.AsyncOperation;
import dev.backoff.Recovery;
import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Return a {@link CompletionStage}. Of whatever kind the recovery's is, the caller gets a
 * future of ours that completes with what it does.
 */
final class StageManner implements Manner {

	static final Manner INSTANCE = new StageManner();

	private StageManner() {
	}

	@Override
	public ResolvableType result(AnnotatedMethod method) {
		return value(ResolvableType.forMethodReturnType(method.method(), method.type()));
	}

	private static ResolvableType value(ResolvableType stage) {
		return stage.as(CompletionStage.class).getGeneric();
	}

	@Override
	public boolean isRecoveredBy(Method recovery, AnnotatedMethod method) {
		ResolvableType returned = ResolvableType.forMethodReturnType(recovery, method.type());
		return CompletionStage.class.isAssignableFrom(returned.toClass())
				&& Manner.isValue(value(returned), result(method));
	}

	@Override
	@SuppressWarnings({ "unchecked", "NullAway", "FutureReturnValueIgnored" }) // checked
																				// at
																				// start-up:
																				// both
																				// return
																				// stages;
																				// the
																				// caller
																				// gets
																				// the
																				// future
	public LaterCalls laterCalls(LaterCalls.Parts parts) {
		AsyncOperation.OnContext<MethodInvocation, @Nullable Object> attempt = (invocation,
				number) -> (CompletionStage<@Nullable Object>) parts.attempts().invoke(invocation, number > 1);
		Recovery<?, ?, ?> recovery = parts.recovery();
		return (invocation) -> parts.retry()
			.callAsyncOn(invocation, attempt,
					(Recovery<MethodInvocation, CompletionStage<@Nullable Object>, Throwable>) recovery);
	}

}
