package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.AnnotatedMethod;

/** Return a handle of the stored call, or nothing; its result is that of an attempt. */
@SuppressWarnings("NullAway") // it does not see that T itself is nullable here
record DurableAdapter(AnnotatedMethod method, Supplier<SubmissionGate> gate) implements ReturnTypeAdapter {

	/** Return the adapter of a durable method, or report that it has none. */
	static @Nullable ReturnTypeAdapter of(AnnotatedMethod method, Supplier<SubmissionGate> gate,
			@Nullable ClassLoader classLoader, List<Problem> problems) {
		Class<?> type = method.method().getReturnType();
		if (!ClassUtils.isPresent(SubmissionGate.HANDLE, classLoader)) {
			problems.add(Problem.ofPlace(method.place() + ": invalid durable (true)",
					"needs the module dev.backoff:retry-durable-spring-boot-starter, which is not on the class path",
					"Add the dependency dev.backoff:retry-durable-spring-boot-starter, or remove durable."));
			return null;
		}
		if (type != void.class && !isHandle(type)) {
			problems
				.add(Problem.ofPlace(method.place() + ": invalid durable (true)",
						"needs a method that returns nothing or a DurableCall, and " + method.signature()
								+ " returns a " + type.getSimpleName(),
						"Declare void, or DurableCall<" + type.getSimpleName() + ">."));
			return null;
		}
		return new DurableAdapter(method, gate);
	}

	static boolean isHandle(Class<?> type) {
		return type.getName().equals(SubmissionGate.HANDLE);
	}

	@Override
	public ResolvableType result(AnnotatedMethod method) {
		ResolvableType type = ReturnTypeAdapter.super.result(method);
		return isHandle(type.toClass()) ? type.getGeneric(0) : type;
	}

	/* No caller waits for a result. */
	@Override
	public boolean isRecoveredBy(Method recovery, AnnotatedMethod method) {
		return true;
	}

	@Override
	public MethodInterceptor laterCalls(Parts parts) {
		return (invocation) -> {
			SubmissionGate.DueAttempt due = SubmissionGate.DUE.get();
			if (due == null || !due.method().equals(this.method)) {
				return this.gate.get().store(this.method, parts.retry(), invocation);
			}
			// the body may submit another call
			SubmissionGate.DUE.remove();
			due.made()
				.accept(parts.retry()
					.<MethodInvocation, @Nullable Object, Throwable>attemptOn(due.call(), invocation,
							(context, number) -> due.body().run(() -> parts.attempt().run(context, number), number),
							due.recovered() ? parts.recovery() : null));
			return null;
		};
	}

}
