package dev.backoff.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ReflectionUtils;

import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;

/** Run each attempt of an annotated method as its script says. Thread-safe. */
final class FaultAdvice implements MethodInterceptor {

	private final ObjectProvider<BackoffFaults> faults;

	private final ObjectProvider<BackoffPolicies> policies;

	private final Map<MethodClassKey, Target> targets = new ConcurrentHashMap<>();

	FaultAdvice(ObjectProvider<BackoffFaults> faults, ObjectProvider<BackoffPolicies> policies) {
		this.faults = faults;
		this.policies = policies;
	}

	@Override
	@SuppressWarnings("NullAway") // it does not see that the result may be null
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Method method = invocation.getMethod();
		Object bean = invocation.getThis();
		Class<?> type = (bean != null) ? bean.getClass() : method.getDeclaringClass();
		Target target = this.targets.computeIfAbsent(new MethodClassKey(method, type), (key) -> target(method, type));
		FaultScript script = this.faults.getObject().find(target.policy(), target.label());
		if (script == null) {
			return invocation.proceed();
		}
		try {
			return script.<Throwable>run(invocation::proceed);
		}
		catch (IOException ex) {
			// the caller would get it in an UndeclaredThrowableException
			throw ReflectionUtils.declaresException(method, ex.getClass()) ? ex : new UncheckedIOException(ex);
		}
	}

	private Target target(Method method, Class<?> type) {
		AnnotatedMethod annotated = AnnotatedMethod.of(method, type);
		if (annotated == null) {
			return new Target("", "");
		}
		String label = this.policies.getObject().label(annotated);
		EffectivePolicy policy = this.policies.getObject().current().resolve(annotated, new ArrayList<>());
		return new Target((policy != null) ? policy.name() : label, label);
	}

	/** The names of a method. */
	private record Target(String policy, String label) {
	}

}
