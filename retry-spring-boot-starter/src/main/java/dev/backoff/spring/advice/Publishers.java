package dev.backoff.spring.advice;

import org.aopalliance.intercept.MethodInvocation;

import dev.backoff.spring.reactive.Coroutines;
import dev.backoff.spring.reactive.ReactiveCalls;
import dev.backoff.spring.reactive.ReactiveMethod;

/** What needs Reactor; loaded only where a method returns a publisher. */
final class Publishers {

	private Publishers() {
	}

	/* Subscribed to when the invocation is over, and perhaps more than once. */
	static LaterCalls calls(ReactiveManner manner, LaterCalls.Parts parts) {
		ReactiveCalls<MethodInvocation> calls = new ReactiveCalls<>(parts.retry(),
				new ReactiveMethod<>(invocation(manner, parts.attempts()), parts.recovery(), manner.adapter(),
						manner.hasSeveralResults(), () -> parts.plan().get().policy().isReplayed()),
				parts.observations());
		return calls::publisher;
	}

	private static ReactiveMethod.Invocation<MethodInvocation> invocation(ReactiveManner manner,
			LaterCalls.Attempts attempts) {
		return manner.isFlow() ? (invocation) -> Coroutines.withAttempt(attempts.invoke(invocation, true))
				: (invocation) -> attempts.invoke(invocation, true);
	}

}
