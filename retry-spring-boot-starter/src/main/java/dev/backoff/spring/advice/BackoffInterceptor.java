package dev.backoff.spring.advice;

import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Hand each invocation of an annotated method to its retry.
 */
final class BackoffInterceptor implements MethodInterceptor {

	private final Supplier<BackoffMethods> methods;

	/** Make the interceptor; the methods are asked for at the first call. */
	BackoffInterceptor(Supplier<BackoffMethods> methods) {
		this.methods = methods;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> type = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
		MethodRetry retry = this.methods.get().find(invocation.getMethod(), type, target);
		return (retry != null) ? retry.invoke(invocation) : invocation.proceed();
	}

}
