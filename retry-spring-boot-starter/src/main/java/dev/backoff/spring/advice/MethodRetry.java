package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.function.Function;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ReflectiveMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

import dev.backoff.Operation;
import dev.backoff.Retry;
import dev.backoff.RetryContext;

/**
 * Call one annotated method by its retry. Thread-safe.
 * <p>
 * Where other advice stands between ours and the target, each attempt runs on a copy of
 * the invocation, so that this advice runs at each attempt with the arguments of the call
 * (decision 0004). Elsewhere all attempts proceed on the invocation itself, and a call
 * that succeeds at once allocates nothing.
 * <p>
 * If a method gives its result later, later attempts run on other threads after the
 * invocation has returned, each on a copy. For a publisher this holds for the first
 * attempt too, because nothing happens before a subscription. The invocation of a woven
 * method needs no copy: it can proceed any number of times, on any thread.
 */
@SuppressWarnings("NullAway") // it does not see that T itself is nullable here
final class MethodRetry {

	private final Retry retry;

	private final Method method;

	private final ReturnTypeAdapter adapter;

	private final Operation.OnContext<MethodInvocation, @Nullable Object, Throwable> attempt = this::attempt;

	private final @Nullable MethodRecovery recovery;

	private final boolean recoversOthers;

	private final @Nullable MethodInterceptor laterCalls;

	/* For calls that the method's own recovery makes. */
	private final @Nullable MethodInterceptor unrecoveredLaterCalls;

	private final InnerAdvice innerAdvice = new InnerAdvice();

	MethodRetry(Retry retry, PlannedRetries.Planned<MethodPlan> planned, RetryFactory factory) {
		MethodPlan plan = planned.plan();
		this.retry = retry;
		this.method = plan.method().method();
		this.adapter = plan.adapter();
		this.recovery = (plan.recover() != null) ? new MethodRecovery(this.method, plan.recover()) : null;
		this.recoversOthers = MethodRecovery.isRecovery(plan.method());
		Function<@Nullable MethodRecovery, @Nullable MethodInterceptor> laterCalls = (recovery) -> this.adapter
			.laterCalls(new ReturnTypeAdapter.Parts(retry, this::attemptLater, recovery,
					() -> planned.plan().policy().replayed(), factory.observations()));
		this.laterCalls = laterCalls.apply(this.recovery);
		this.unrecoveredLaterCalls = (this.recovery != null) ? laterCalls.apply(null) : null;
	}

	@Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		if (this.recoversOthers && MethodRecovery.isRunning(this.method, invocation)) {
			return invocation.proceed();
		}
		MethodRecovery recovery = this.recovery;
		boolean again = recovery != null && recovery.isRunning(invocation);
		MethodInterceptor later = again ? this.unrecoveredLaterCalls : this.laterCalls;
		return (later != null) ? later.invoke(invocation)
				: this.retry.callOn(invocation, this.attempt, again ? null : recovery);
	}

	private @Nullable Object attempt(MethodInvocation invocation, int number) throws Throwable {
		return (invocation instanceof ReflectiveMethodInvocation original && isCopied(original, number))
				? original.invocableClone().proceed() : invocation.proceed();
	}

	/* An opaque proxy does not show the advice behind ours. */
	private boolean isCopied(ReflectiveMethodInvocation original, int number) {
		return !(original.getProxy() instanceof Advised proxy) || this.innerAdvice.isAny(original, proxy, number);
	}

	private @Nullable Object attemptLater(MethodInvocation invocation, int number) throws Throwable {
		if (!(invocation instanceof ReflectiveMethodInvocation original)) {
			return invocation.proceed();
		}
		boolean copied = isCopied(original, number) || number > 1 || this.adapter.returnsBeforeAttempts();
		return copied ? invokeAnew((ProxyMethodInvocation) original.invocableClone()) : original.proceed();
	}

	@SuppressWarnings("try") // a scope is open and not used
	private @Nullable Object invokeAnew(ProxyMethodInvocation invocation) throws Throwable {
		this.adapter.prepare(invocation);
		try (RetryContext.Scope exposed = InnerAdvice.expose(invocation.getProxy())) {
			return ExposeInvocationInterceptor.INSTANCE.invoke(invocation);
		}
	}

}
