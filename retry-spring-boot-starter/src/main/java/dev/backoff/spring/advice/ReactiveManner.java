package dev.backoff.spring.advice;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ResolvableType;

import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.reactive.Coroutines;

/**
 * Return a publisher of any kind that Spring can adapt. A function that suspends is one
 * of these too: inside its proxy it is a publisher.
 *
 * @param adapter knows the kind of publisher, or null for a function that suspends
 * @param hasSeveralResults whether there may be more elements than one
 */
record ReactiveManner(@Nullable ReactiveAdapter adapter, boolean hasSeveralResults) implements Manner {

	@Override
	public boolean isSuspending() {
		return this.adapter == null;
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
		return sameKind && Manner.isValue(result(recovery, method.type()), result(method));
	}

	@Override
	public void prepare(ProxyMethodInvocation attempt) {
		if (isSuspending()) {
			attempt.setArguments(Coroutines.withAttempt(attempt.getArguments()));
		}
	}

	/** Return whether it is a Kotlin flow, which runs as a coroutine. */
	boolean isFlow() {
		return this.adapter != null && this.adapter.getReactiveType().getName().equals(Manners.FLOW);
	}

	@Override
	public LaterCalls laterCalls(LaterCalls.Parts parts) {
		return Publishers.calls(this, parts);
	}

}
