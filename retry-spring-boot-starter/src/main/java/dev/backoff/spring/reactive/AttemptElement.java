package dev.backoff.spring.reactive;

import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.ThreadContextElement;

import dev.backoff.RetryContext;

/** Let an attempt run on whatever thread its coroutine does. */
final class AttemptElement extends AbstractCoroutineContextElement implements ThreadContextElement<RetryContext.Scope> {

	private static final CoroutineContext.Key<AttemptElement> KEY = new CoroutineContext.Key<>() {
	};

	private final RetryContext attempt;

	AttemptElement(RetryContext attempt) {
		super(KEY);
		this.attempt = attempt;
	}

	@Override
	public RetryContext.Scope updateThreadContext(CoroutineContext context) {
		return this.attempt.open();
	}

	@Override
	public void restoreThreadContext(CoroutineContext context, RetryContext.Scope scope) {
		scope.close();
	}

}
