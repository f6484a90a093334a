package dev.backoff.spring.advice;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ReflectiveMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

import dev.backoff.Operation;
import dev.backoff.Retry;
import dev.backoff.spring.reactive.ObservationCarrier;

/**
 * One annotated method with its retry, ready to be called. Thread-safe.
 * <p>
 * Where other advice stands between ours and the target (a transaction, a cache, an
 * aspect), no attempt runs on the invocation itself but each on a copy, so that this
 * advice runs at each attempt, and with the arguments of the call, whatever it made of
 * them at the attempt before. Elsewhere all attempts proceed on the invocation, and a
 * call that succeeds at once allocates nothing.
 * <p>
 * The later attempts of a method that gives its result later run on other threads, after
 * the invocation has returned: each on an invocation of its own. Those of a publisher all
 * do, since nothing happens before a subscription.
 */
@SuppressWarnings("NullAway") // it does not see that T itself is nullable here
final class MethodRetry {

	private final Retry retry;

	private final Operation.OnContext<MethodInvocation, @Nullable Object, Throwable> attempt = this::attempt;

	private final @Nullable MethodRecovery recovery;

	private volatile MethodPlan plan;

	private final @Nullable LaterCalls laterCalls;

	private final InnerAdvice innerAdvice = new InnerAdvice();

	private final TargetMethod target;

	/* For one bean at least. */
	private volatile boolean adviceInside;

	private volatile boolean recoversOthers;

	/** Make a method's retry. */
	MethodRetry(Retry retry, MethodPlan plan, Supplier<? extends Executor> executor,
			@Nullable ObservationCarrier observations) {
		this.retry = retry;
		this.plan = plan;
		this.target = new TargetMethod(plan.method().method());
		this.recovery = (plan.recover() != null) ? new MethodRecovery(plan.recover()) : null;
		this.laterCalls = plan.manner()
			.laterCalls(new LaterCalls.Parts(retry, this::invokeLater, this.recovery, () -> this.plan, executor,
					observations));
	}

	/** Let calls that begin from now on go by another plan. */
	void switchTo(MethodPlan plan, Retry retry) {
		this.plan = plan;
		this.retry.switchTo(retry);
	}

	/** Note that the method also is the recovery of another one. */
	void recoversOthers() {
		this.recoversOthers = true;
	}

	@Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		if (this.recoversOthers && MethodRecovery.isRunning(this.plan.method().method(), invocation)) {
			return invocation.proceed();
		}
		LaterCalls later = this.laterCalls;
		return (later != null) ? later.call(invocation) : this.retry.callOn(invocation, this.attempt, this.recovery);
	}

	private @Nullable Object invokeLater(MethodInvocation invocation, boolean anew) throws Throwable {
		if (invocation instanceof RepeatableInvocation || !(invocation instanceof ProxyMethodInvocation original)) {
			return invocation.proceed();
		}
		if (!(original.getProxy() instanceof Advised proxy)) {
			return invokeAnew((ProxyMethodInvocation) original.invocableClone());
		}
		return (anew || isAdviceInside(original, proxy))
				? invokeAnew(InnerInvocation.of(original, proxy, this.innerAdvice.of(original, proxy), this.target))
				: original.proceed();
	}

	private @Nullable Object invokeAnew(ProxyMethodInvocation invocation) throws Throwable {
		this.plan.manner().prepare(invocation);
		return ExposeInvocationInterceptor.INSTANCE.invoke(invocation);
	}

	private @Nullable Object attempt(MethodInvocation invocation, int number) throws Throwable {
		if (invocation instanceof RepeatableInvocation || !(invocation instanceof ProxyMethodInvocation original)) {
			return invocation.proceed();
		}
		if (!(original.getProxy() instanceof Advised proxy)) {
			// an opaque proxy does not show what is inside
			return original.invocableClone().proceed();
		}
		if (number > 1) {
			return attemptAgain(original, proxy);
		}
		if (this.innerAdvice.isOursLast(proxy)) {
			return proceedToTarget(original);
		}
		return isAdviceInside(original, proxy) ? original.invocableClone().proceed() : original.proceed();
	}

	/*
	 * Two beans of one class need not have the same advice. A copy that was not needed
	 * does no harm.
	 */
	private boolean isAdviceInside(ProxyMethodInvocation invocation, Advised proxy) {
		if (!this.adviceInside && !this.innerAdvice.isNone(invocation, proxy)) {
			this.adviceInside = true;
		}
		return this.adviceInside;
	}

	private @Nullable Object attemptAgain(ProxyMethodInvocation original, Advised proxy) throws Throwable {
		this.target.prepare();
		List<Object> advice = this.innerAdvice.of(original, proxy);
		if (!advice.isEmpty()) {
			this.adviceInside = true;
		}
		return advice.isEmpty() ? proceedToTarget(original)
				: InnerInvocation.of(original, proxy, advice, this.target).proceed();
	}

	/* What proceeding does where nothing else is to be run. */
	private @Nullable Object proceedToTarget(ProxyMethodInvocation invocation) throws Throwable {
		boolean plain = invocation.getClass() == ReflectiveMethodInvocation.class;
		return (plain && this.target.isCallable(invocation)) ? this.target.call(invocation) : invocation.proceed();
	}

}
