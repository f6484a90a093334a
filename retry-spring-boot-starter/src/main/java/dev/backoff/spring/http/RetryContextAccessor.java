package dev.backoff.spring.http;

import java.util.ArrayDeque;
import java.util.Deque;

import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

import dev.backoff.RetryContext;

/**
 * Carry the running attempt to other threads by Micrometer's context-propagation, which
 * finds this class as a service. The propagation is switched on for tasks by
 * {@code spring.task.execution.propagate-context=true}, and for reactive code by
 * {@code spring.reactor.context-propagation=auto}. Thread-safe.
 *
 * @since 0.1
 */
public final class RetryContextAccessor implements ThreadLocalAccessor<RetryContext> {

	/** The key of the context in a snapshot and in a Reactor context. */
	public static final String KEY = "backoff.context";

	/* Scopes are closed in reverse order, and after the last one the thread is clean. */
	private static final ThreadLocal<Deque<RetryContext.Scope>> OPEN = ThreadLocal.withInitial(ArrayDeque::new);

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

	/* Work without a context must not join the attempt that runs here. */
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
		OPEN.get().push(scope);
	}

	private static void pop() {
		Deque<RetryContext.Scope> open = OPEN.get();
		if (!open.isEmpty()) {
			open.pop().close();
		}
		if (open.isEmpty()) {
			OPEN.remove();
		}
	}

}
