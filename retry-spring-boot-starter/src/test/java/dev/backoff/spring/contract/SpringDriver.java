package dev.backoff.spring.contract;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import dev.backoff.CallRegistry;
import dev.backoff.Recovery;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.budget.RetryBudget;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.CallObserver;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.RetryListener;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.CallSetup;
import dev.backoff.fixture.ContractDriver;
import dev.backoff.fixture.DriverContract;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.spring.safety.RetryBudgets;
import dev.backoff.time.RetryTime;

/** Calls of a bean's methods, in an application of its own. */
public final class SpringDriver<B> implements ContractDriver {

	/** Which method of the bean. */
	public enum Kind {

		/** {@code @Backoff("orders")} and no more. */
		PLAIN,

		/** With {@code retryWhen = "#result != 'done'"}. */
		UNLESS_DONE,

		/** With {@code until = "#result == 'done'"}. */
		UNTIL_DONE,

		/** With a recovery. */
		RECOVERED

	}

	@FunctionalInterface
	public interface Caller<B> {

		/** Return the result, or a future that completes with it. */
		@Nullable Object call(B orders, Kind kind, Work work) throws Throwable;

	}

	private final CallSetup setup;

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private final Class<B> type;

	private final Caller<B> caller;

	/** Start the application. */
	public SpringDriver(CallSetup setup, Class<B> type, Caller<B> caller) {
		this.setup = setup;
		this.type = type;
		this.caller = caller;
		TestPropertyValues.of(properties(setup)).applyTo(this.context);
		this.context.registerBean("time", RetryTime.class, () -> setup.time());
		RandomSource least = () -> 0;
		CallRecorder.Factory recorders = (policy, method) -> setup.recorder();
		this.context.registerBean("random", RandomSource.class, () -> least);
		this.context.registerBean("recorders", CallRecorder.Factory.class, () -> recorders);
		this.context.registerBean("applicationTaskExecutor", Executor.class, () -> setup.executor());
		for (RetryListener listener : setup.listeners()) {
			this.context.registerBean("listener" + this.context.getBeanDefinitionCount(), RetryListener.class,
					() -> listener);
		}
		if (setup.observer() != null) {
			this.context.registerBean("observer", CallObserver.class, () -> setup.observer());
		}
		if (setup.classifier() != null) {
			this.context.registerBean("classifier", FailureClassifier.class, () -> setup.classifier());
		}
		this.context.registerBean("orders", type);
		this.context.register(AopAutoConfiguration.class, BackoffAutoConfiguration.class);
		this.context.refresh();
	}

	private static Map<String, String> properties(CallSetup setup) {
		Map<String, String> properties = new LinkedHashMap<>();
		String policy = "backoff.policies.orders.";
		properties.put(policy + "jitter", "none");
		properties.put(policy + "max-attempts",
				(setup.maxAttempts() != null) ? String.valueOf(setup.maxAttempts()) : "unlimited");
		properties.put(policy + "enabled", String.valueOf(setup.isEnabled()));
		properties.put(policy + "when-empty", setup.isPostponed() ? "wait" : "stop");
		properties.put(policy + "budget", (setup.budget() != null) ? "gateway" : "none");
		if (setup.deadline() != null) {
			properties.put(policy + "deadline", setup.deadline().toString());
		}
		if (setup.attemptTimeout() != null) {
			properties.put(policy + "attempt-timeout", setup.attemptTimeout().toString());
		}
		if (setup.classifier() != null) {
			properties.put(policy + "classifier", "classifier");
		}
		CallSetup.Budget budget = setup.budget();
		if (budget != null) {
			properties.put("backoff.budgets.gateway.tokens", String.valueOf(budget.tokens()));
			properties.put("backoff.budgets.gateway.per-second", String.valueOf(budget.perSecond()));
			properties.put("backoff.budgets.gateway.per-success", "0");
		}
		Boolean awaited = setup.breakerAwaited();
		if (awaited != null) {
			properties.put(policy + "breaker", "gateway");
			properties.put("backoff.breakers.gateway.open-for", "10s");
			properties.put("backoff.breakers.gateway.on-open", awaited ? "wait" : "fail");
		}
		CallSetup.Permits permits = setup.permits();
		if (permits != null) {
			properties.put(policy + "concurrency", String.valueOf(permits.permits()));
			properties.put(policy + "max-waiting", String.valueOf(permits.maxWaiting()));
		}
		return properties;
	}

	@Override
	public @Nullable Object call(ScriptedOperation<@Nullable Object> operation,
			@Nullable Recovery<Object, @Nullable Object, Exception> recovery) throws Throwable {
		Object given = this.caller.call(this.context.getBean(this.type), kind(recovery != null),
				new Work(operation, recovery));
		return (given instanceof CompletableFuture<?> later)
				? DriverContract.await(this.setup.time(), () -> false, later) : given;
	}

	private Kind kind(boolean recovered) {
		return recovered ? Kind.RECOVERED : switch (this.setup.judging()) {
			case NONE -> Kind.PLAIN;
			case RETRY_WHEN_NOT_DONE -> Kind.UNLESS_DONE;
			case UNTIL_DONE -> Kind.UNTIL_DONE;
		};
	}

	@Override
	public CallRegistry waiting() {
		return this.context.getBean(CallRegistry.class);
	}

	@Override
	public RetryBudget budget() {
		return this.context.getBean(RetryBudgets.class).get("gateway");
	}

	@Override
	public CircuitBreaker breaker() {
		return this.context.getBean(CircuitBreakers.class).get("gateway");
	}

	@Override
	public ConcurrencyLimit limit() {
		return this.context.getBean(OverloadSafety.class).limit("orders");
	}

	@Override
	public void close() {
		this.context.close();
	}

}
