package dev.backoff.spring.advice;

import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ResolvableType;

import dev.backoff.Operation;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.reactive.Coroutines;
import dev.backoff.spring.reactive.ReactiveCalls;

/**
 * Return a publisher of any kind that Spring can adapt. This includes a Kotlin function
 * that suspends, which inside its proxy is a publisher. Loaded only where Reactor is
 * there.
 */
record PublisherAdapter(@Nullable ReactiveAdapter adapter, boolean hasSeveralResults) implements ReturnTypeAdapter {

	@Override
	public boolean isSuspending() {
		return this.adapter == null;
	}

	@Override
	public boolean returnsBeforeAttempts() {
		return true;
	}

	@Override
	public ResolvableType result(AnnotatedMethod method) {
		return result(method.method(), method.type());
	}

	private ResolvableType result(Method method, Class<?> type) {
		if (this.adapter == null) {
			return Suspending.result(method, type);
		}
		return this.adapter.isNoValue() ? ResolvableType.forClass(Void.class)
				: ResolvableType.forMethodReturnType(method, type).as(this.adapter.getReactiveType()).getGeneric();
	}

	@Override
	public boolean isRecoveredBy(Method recovery, AnnotatedMethod method) {
		ResolvableType returned = ResolvableType.forMethodReturnType(recovery, method.type());
		boolean sameKind = (this.adapter != null) ? this.adapter.getReactiveType().isAssignableFrom(returned.toClass())
				: Suspending.is(recovery);
		return sameKind && ReturnTypeAdapter.isValue(result(recovery, method.type()), result(method));
	}

	@Override
	public void prepare(ProxyMethodInvocation attempt) {
		if (isSuspending()) {
			attempt.setArguments(Coroutines.withAttempt(attempt.getArguments()));
		}
	}

	@Override
	@SuppressWarnings("NullAway") // it does not see that the values may be null
	public MethodInterceptor laterCalls(Parts parts) {
		Operation.OnContext<MethodInvocation, @Nullable Object, Throwable> attempt = parts.attempt();
		// a Kotlin flow runs as a coroutine
		boolean flow = this.adapter != null && this.adapter.getReactiveType().getName().equals(ReturnTypeAdapters.FLOW);
		Operation.OnContext<MethodInvocation, @Nullable Object, Throwable> invocation = flow
				? (call, number) -> Coroutines.withAttempt(attempt.run(call, number)) : attempt;
		ReactiveCalls<MethodInvocation> calls = new ReactiveCalls<>(parts.retry(), invocation, parts.recovery(),
				this.adapter, this.hasSeveralResults, parts.replayed(), parts.observations());
		return calls::publisher;
	}

}
