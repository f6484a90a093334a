package dev.backoff.spring.http;

import java.util.ArrayDeque;
import java.util.Deque;

import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

import dev.backoff.RetryContext;

/**
 * Let Micrometer's context-propagation carry the running attempt to other threads: what
 * {@code spring.task.execution.propagate-context=true} does for tasks, and
 * {@code spring.reactor.context-propagation=auto} for reactive code. Found as a service;
 * without that library nobody looks for it. Thread-safe.
 *
 * @since 0.1
 */
public final class RetryContextAccessor implements ThreadLocalAccessor<RetryContext> {

	/** What the context is called in a snapshot, and in a Reactor context. */
	public static final String KEY = "backoff.context";

	/*
	 * What was set on a thread is taken back in reverse order, and then nothing is left
	 * there.
	 */
	private static final ThreadLocal<@Nullable Deque<RetryContext.Scope>> OPEN = new ThreadLocal<>();

	/** Create the accessor. */
	public RetryContextAccessor() {
	}

	@Override
	public Object key() {
		return KEY;
	}

	@Override
	public @Nullable RetryContext getValue() {
		RetryContext context = RetryContext.capture();
		return context.isEmpty() ? null : context;
	}

	@Override
	public void setValue(RetryContext value) {
		push(value.open());
	}

	/* What comes does not belong to what runs here. */
	@Override
	public void setValue() {
		push(RetryContext.none().open());
	}

	@Override
	public void restore(RetryContext previousValue) {
		pop();
	}

	@Override
	public void restore() {
		pop();
	}

	private static void push(RetryContext.Scope scope) {
		Deque<RetryContext.Scope> open = OPEN.get();
		if (open == null) {
			open = new ArrayDeque<>(2);
			OPEN.set(open);
		}
		open.push(scope);
	}

	private static void pop() {
		Deque<RetryContext.Scope> open = OPEN.get();
		if (open == null) {
			return;
		}
		open.pop().close();
		if (open.isEmpty()) {
			OPEN.remove();
		}
	}

}
