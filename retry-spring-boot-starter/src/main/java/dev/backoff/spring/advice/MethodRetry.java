package dev.backoff.spring.advice;

import java.util.concurrent.CompletionStage;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

import dev.backoff.AsyncOperation;
import dev.backoff.Operation;
import dev.backoff.Recovery;
import dev.backoff.Retry;

/**
 * One annotated method with its retry, ready to be called. Thread-safe.
 * <p>
 * Where other advice stands between ours and the target (a transaction, a cache, an
 * aspect), no attempt runs on the invocation itself but each on a copy, so that this
 * advice runs at each attempt, and with the arguments of the call, whatever it made of
 * them at the attempt before. Elsewhere all attempts proceed on the invocation, and a
 * call that succeeds at once allocates nothing.
 * <p>
 * The later attempts of a method that returns a stage run on other threads, after the
 * invocation has returned: each on an invocation of its own.
 */
@SuppressWarnings("NullAway") // it does not see that T itself is nullable here
final class MethodRetry {

	private final Retry retry;

	private final Operation.OnContext<MethodInvocation, @Nullable Object, Throwable> attempt = this::attempt;

	private final AsyncOperation.OnContext<MethodInvocation, @Nullable Object> asyncAttempt = this::asyncAttempt;

	private final @Nullable MethodRecovery recovery;

	private final MethodPlan plan;

	private volatile Inside inside = Inside.UNKNOWN;

	private volatile boolean recoversOthers;

	MethodRetry(Retry retry, MethodPlan plan) {
		this.retry = retry;
		this.plan = plan;
		this.recovery = (plan.recover() != null) ? new MethodRecovery(plan.recover()) : null;
	}

	/** Note that the method also is the recovery of another one. */
	void recoversOthers() {
		this.recoversOthers = true;
	}

	@Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		if (this.recoversOthers && MethodRecovery.isRunning(this.plan.method().method(), invocation)) {
			return invocation.proceed();
		}
		return this.plan.isAsync() ? invokeAsync(invocation)
				: this.retry.callOn(invocation, this.attempt, this.recovery);
	}

	@SuppressWarnings("unchecked") // checked at start-up: it returns a stage
	private CompletionStage<@Nullable Object> invokeAsync(MethodInvocation invocation) {
		Recovery<?, ?, ?> recovery = this.recovery;
		return this.retry.callAsyncOn(invocation, this.asyncAttempt,
				(Recovery<MethodInvocation, CompletionStage<@Nullable Object>, Throwable>) recovery);
	}

	@SuppressWarnings("unchecked") // so does the method
	private CompletionStage<@Nullable Object> asyncAttempt(MethodInvocation invocation, int number) throws Throwable {
		return (CompletionStage<@Nullable Object>) startStage(invocation, number);
	}

	private @Nullable Object startStage(MethodInvocation invocation, int number) throws Throwable {
		if (!(invocation instanceof ProxyMethodInvocation original)) {
			return invocation.proceed();
		}
		if (!(original.getProxy() instanceof Advised proxy)) {
			return ExposeInvocationInterceptor.INSTANCE.invoke(original.invocableClone());
		}
		// no attempt but the first proceeds on the invocation itself, which may be over
		return (number > 1 || isAdviceInside(original, proxy))
				? ExposeInvocationInterceptor.INSTANCE.invoke(InnerInvocation.of(original, proxy)) : original.proceed();
	}

	private @Nullable Object attempt(MethodInvocation invocation, int number) throws Throwable {
		if (!(invocation instanceof ProxyMethodInvocation original)) {
			return invocation.proceed();
		}
		if (!(original.getProxy() instanceof Advised proxy)) {
			// an opaque proxy does not show what is inside
			return original.invocableClone().proceed();
		}
		if (number > 1) {
			return attemptAgain(original, proxy);
		}
		return isAdviceInside(original, proxy) ? original.invocableClone().proceed() : original.proceed();
	}

	/* Looked up once, since it costs more than the rest of a call. */
	private boolean isAdviceInside(ProxyMethodInvocation invocation, Advised proxy) {
		if (this.inside == Inside.UNKNOWN) {
			this.inside = InnerInvocation.adviceInside(invocation, proxy).isEmpty() ? Inside.TARGET : Inside.ADVICE;
		}
		return this.inside == Inside.ADVICE;
	}

	/*
	 * Two beans of one class need not have the same advice, so the first attempt may have
	 * used up the invocation though there is some.
	 */
	private @Nullable Object attemptAgain(ProxyMethodInvocation original, Advised proxy) throws Throwable {
		if (InnerInvocation.adviceInside(original, proxy).isEmpty()) {
			return original.proceed();
		}
		this.inside = Inside.ADVICE;
		return InnerInvocation.of(original, proxy).proceed();
	}

	/** What follows our advice. */
	private enum Inside {

		/** Nobody has looked. */
		UNKNOWN,

		/** The target, so far. */
		TARGET,

		/** Other advice, for one bean at least. */
		ADVICE

	}

}
