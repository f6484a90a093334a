package dev.backoff.durable;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ReflectionUtils;

import dev.backoff.Operation;
import dev.backoff.ResumedCall;
import dev.backoff.durable.DurableMethods.DurableMethod;
import dev.backoff.spring.advice.SubmissionGate;
import dev.backoff.spring.advice.SubmissionGate.DueAttempt;
import dev.backoff.spring.policy.AnnotatedMethod;

/** Make the attempts of stored calls, through the proxies of their beans. Thread-safe. */
record StoredAttempts(BeanFactory beanFactory, DurableTraces traces) {

	/** Make an attempt; throw what advice around ours throws. */
	ResumedCall.Result make(DurableMethod method, @Nullable Object[] arguments, ResumedCall call, boolean recovered,
			@Nullable Map<String, String> headers) throws Throwable {
		AtomicReference<ResumedCall.@Nullable Result> made = new AtomicReference<>();
		@SuppressWarnings("NullAway") // it does not see that a result may be null
		DueAttempt due = new DueAttempt(method.method(), call, recovered, StoredAttempts::run, made::set);
		SubmissionGate.DUE.set(due);
		Consumer<@Nullable Throwable> traced = this.traces.attempt(method.policy(), headers);
		try {
			call(method.method(), arguments);
		}
		finally {
			SubmissionGate.DUE.remove();
			traced.accept((made.get() instanceof ResumedCall.Again again) ? again.failure()
					: (made.get() instanceof ResumedCall.Stopped stopped) ? stopped.thrown() : null);
		}
		ResumedCall.Result next = made.get();
		if (next == null) {
			throw new IllegalStateException("Advice around the retries has not called " + method.signature() + ".");
		}
		return next;
	}

	private void call(AnnotatedMethod method, @Nullable Object[] arguments) throws Throwable {
		Object bean = this.beanFactory.getBean(method.type());
		Method invocable = AopUtils.selectInvocableMethod(method.method(), bean.getClass());
		ReflectionUtils.makeAccessible(invocable);
		Object unused = AopUtils.invokeJoinpointUsingReflection(bean, invocable, arguments);
	}

	private static @Nullable Object run(Operation<?, ?> method, int number) throws Throwable {
		Object returned = WorkerPool.outside(method);
		return (returned instanceof DurableCall<?> handle) ? handle.result() : returned;
	}

}
