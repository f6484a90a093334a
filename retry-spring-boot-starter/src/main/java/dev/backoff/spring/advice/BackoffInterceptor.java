package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;

/** Hand each invocation of an annotated method to its retry. Thread-safe. */
final class BackoffInterceptor implements InnerAdvice.Ours {

	private final Supplier<BackoffMethods> methods;

	/* What it was called for first. A method of a proxy has an interceptor of its own. */
	private @Nullable Known first;

	/** Make the interceptor; the methods are asked for at the first call. */
	BackoffInterceptor(Supplier<BackoffMethods> methods) {
		this.methods = methods;
	}

	@Override
	@SuppressWarnings("ReferenceEquality") // an equal method is found by the other way
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Method method = invocation.getMethod();
		Class<?> type = (target != null) ? target.getClass() : method.getDeclaringClass();
		Known first = this.first;
		MethodRetry retry = (first != null && first.method == method && first.type == type) ? first.retry
				: find(method, type, target);
		return (retry != null) ? retry.invoke(invocation) : invocation.proceed();
	}

	private @Nullable MethodRetry find(Method method, Class<?> type, @Nullable Object target) {
		MethodRetry retry = this.methods.get().find(method, type, target);
		// which of two proxies retries is asked at each call
		if (this.first == null && retry != null && !(target instanceof Advised)) {
			this.first = new Known(method, type, retry);
		}
		return retry;
	}

	private record Known(Method method, Class<?> type, MethodRetry retry) {
	}

}
