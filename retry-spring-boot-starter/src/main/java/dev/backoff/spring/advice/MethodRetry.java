package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.List;
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
 * invocation has returned, each on an invocation of its own. For a publisher this holds
 * for the first attempt too, because nothing happens before a subscription.
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

	private final TargetMethod target;

	/* For one bean at least. */
	private volatile boolean adviceInside;

	MethodRetry(Retry retry, PlannedRetries.Planned<MethodPlan> planned, RetryFactory factory) {
		MethodPlan plan = planned.plan();
		this.retry = retry;
		this.method = plan.method().method();
		this.adapter = plan.adapter();
		this.target = new TargetMethod(this.method);
		this.recovery = (plan.recover() != null) ? new MethodRecovery(this.method, plan.recover()) : null;
		this.recoversOthers = MethodRecovery.isRecovery(plan.method());
		Function<@Nullable MethodRecovery, @Nullable MethodInterceptor> laterCalls = (recovery) -> this.adapter
			.laterCalls(new ReturnTypeAdapter.Parts(retry, this::attemptLater, recovery,
					() -> planned.plan().policy().replayed(), factory.laterAttempts(), factory.observations()));
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
		if (invocation instanceof RepeatableInvocation || !(invocation instanceof ProxyMethodInvocation original)) {
			return invocation.proceed();
		}
		if (!(original.getProxy() instanceof Advised proxy)) {
			// an opaque proxy does not show the advice behind ours
			return original.invocableClone().proceed();
		}
		if (number > 1) {
			this.target.prepare();
		}
		if (this.innerAdvice.isOursLast(proxy)) {
			return proceedToTarget(original);
		}
		if (number > 1) {
			return attemptAgain(original, proxy);
		}
		return isAdviceInside(original, proxy) ? original.invocableClone().proceed() : original.proceed();
	}

	private @Nullable Object attemptAgain(ProxyMethodInvocation original, Advised proxy) throws Throwable {
		List<Object> advice = this.innerAdvice.of(original, proxy);
		if (advice.isEmpty()) {
			return proceedToTarget(original);
		}
		this.adviceInside = true;
		return new InnerAdvice.InnerInvocation(original, proxy, advice, this.target).proceed();
	}

	/* What proceeding does when no advice is left to run. */
	private @Nullable Object proceedToTarget(ProxyMethodInvocation invocation) throws Throwable {
		boolean plain = invocation.getClass() == ReflectiveMethodInvocation.class;
		return (plain && this.target.isCallable(invocation)) ? this.target.call(invocation) : invocation.proceed();
	}

	/*
	 * Two beans of one class need not have the same advice. An unnecessary copy does no
	 * harm.
	 */
	private boolean isAdviceInside(ProxyMethodInvocation invocation, Advised proxy) {
		if (!this.adviceInside && !this.innerAdvice.isNone(invocation, proxy)) {
			this.adviceInside = true;
		}
		return this.adviceInside;
	}

	private @Nullable Object attemptLater(MethodInvocation invocation, int number) throws Throwable {
		if (invocation instanceof RepeatableInvocation || !(invocation instanceof ProxyMethodInvocation original)) {
			return invocation.proceed();
		}
		if (!(original.getProxy() instanceof Advised proxy)) {
			return invokeAnew((ProxyMethodInvocation) original.invocableClone());
		}
		if (number == 1 && !this.adapter.returnsBeforeAttempts() && !isAdviceInside(original, proxy)) {
			return original.proceed();
		}
		return invokeAnew(
				new InnerAdvice.InnerInvocation(original, proxy, this.innerAdvice.of(original, proxy), this.target));
	}

	@SuppressWarnings("try") // a scope is open and not used
	private @Nullable Object invokeAnew(ProxyMethodInvocation invocation) throws Throwable {
		this.adapter.prepare(invocation);
		try (RetryContext.Scope exposed = InnerAdvice.expose(invocation.getProxy())) {
			return ExposeInvocationInterceptor.INSTANCE.invoke(invocation);
		}
	}

}
