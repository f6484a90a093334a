package dev.backoff.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.ReflectionUtils;

import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;

/** Run each attempt of an annotated method as its script says. Thread-safe. */
final class FaultAdvice implements MethodInterceptor {

	private final ObjectProvider<BackoffFaults> faults;

	private final ObjectProvider<BackoffPolicies> policies;

	FaultAdvice(ObjectProvider<BackoffFaults> faults, ObjectProvider<BackoffPolicies> policies) {
		this.faults = faults;
		this.policies = policies;
	}

	@Override
	@SuppressWarnings("NullAway") // it does not see that the result may be null
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		FaultScript script = script(invocation);
		if (script == null) {
			return invocation.proceed();
		}
		AtomicReference<@Nullable Throwable> real = new AtomicReference<>();
		try {
			return script.around(() -> proceed(invocation, real)).run();
		}
		catch (IOException ex) {
			// a caller would get it in an UndeclaredThrowableException
			throw (ex == real.get() || ReflectionUtils.declaresException(invocation.getMethod(), ex.getClass())) ? ex
					: new UncheckedIOException(ex);
		}
	}

	private static @Nullable Object proceed(MethodInvocation invocation, AtomicReference<@Nullable Throwable> real)
			throws Throwable {
		try {
			return invocation.proceed();
		}
		catch (Throwable ex) {
			real.set(ex);
			throw ex;
		}
	}

	private @Nullable FaultScript script(MethodInvocation invocation) {
		Method method = invocation.getMethod();
		Object bean = invocation.getThis();
		AnnotatedMethod annotated = Objects
			.requireNonNull(AnnotatedMethod.of(method, (bean != null) ? bean.getClass() : method.getDeclaringClass()));
		EffectivePolicy policy = this.policies.getObject().current().resolve(annotated, new ArrayList<>());
		String label = this.policies.getObject().label(annotated);
		return this.faults.getObject().find((policy != null) ? policy.name() : label, label);
	}

}
