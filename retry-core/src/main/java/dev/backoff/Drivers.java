package dev.backoff;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.RandomSource;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.throttle.Throttle;
import dev.backoff.time.RetryTime;

/**
 * What the calls of one {@link Retry} run on. The driver of kept calls is made for each
 * of their attempts, since few retries have any.
 */
record Drivers(CallSettings settings, RandomSource random, RetryDecider decider, BlockingDriver blocking,
		AsyncDriver async, Supplier<KeptDriver> kept, @Nullable RunningCalls running) {

	static Drivers of(RetryBuilder builder) {
		RetryPolicy policy = builder.policy;
		ListenerChain listeners = new ListenerChain(policy.name(), builder.method, builder.recorder, builder.listeners);
		Guards guards = new Guards(listeners::hookFailed);
		RetryTime time = guards.time(builder.time);
		Throttle throttle = (builder.throttle == null && policy.concurrency() != Throttle.UNLIMITED)
				? new Throttle(policy.name(), policy.concurrency(), policy.maxWaiting()) : builder.throttle;
		CallSettings settings = new CallSettings(policy, builder.method, time, guards.switchOf(policy, builder.enabled),
				throttle);
		Safeguards safeguards = new Safeguards((throttle != null) ? new Slots(throttle) : null,
				guards.permits(builder.breaker), builder.budget, builder.waitingCalls, false);
		RandomSource random = guards.random(builder.random);
		RetryDecider decider = new RetryDecider(policy, settings.retries(), random, listeners);
		CallTeller teller = new CallTeller(listeners,
				Observers.of(builder.observers.stream().map(guards::observer).toList()));
		CallSteps steps = new CallSteps(settings, decider, listeners, safeguards, teller);
		AttemptLimit limit = new AttemptLimit(policy, builder.method, time, builder.running);
		BlockingDriver blocking = new BlockingDriver(steps, decider, builder.waitingCalls, limit,
				!builder.observers.isEmpty());
		AsyncDriver async = new AsyncDriver(builder.method, steps, time, decider, builder.waitingCalls, limit,
				listeners, guards.executors(builder.executor, AsyncDriver.DEFAULT_EXECUTOR));
		Supplier<KeptDriver> kept = () -> kept(settings, random, listeners, safeguards, limit, teller);
		return new Drivers(settings, random, decider, blocking, async, kept, builder.running);
	}

	private static KeptDriver kept(CallSettings settings, RandomSource random, ListenerChain listeners,
			Safeguards safeguards, AttemptLimit limit, CallTeller teller) {
		RetryDecider decider = new RetryDecider(settings.policy(), () -> null, random, listeners);
		CallSteps steps = new CallSteps(settings, decider, listeners, safeguards.keptElsewhere(), teller);
		return new KeptDriver(steps, decider, limit);
	}

}
