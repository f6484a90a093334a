package dev.backoff.spring.advice;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ThreadLocalAccessor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Run tasks on another executor with the context of the calling thread. A call does not
 * go on without its task, so an accessor that throws costs the call nothing but the value
 * of this accessor.
 */
record CarryingExecutor(Executor executor, ContextSnapshot snapshot) implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(CarryingExecutor.class);

	/* The names of accessors whose failures have been logged. */
	private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

	@Override
	public void execute(Runnable task) {
		this.executor.execute(() -> run(task));
	}

	/*
	 * One accessor after the other: if all values were set at once, an accessor that
	 * throws would leave the values before its own on the thread.
	 */
	private void run(Runnable task) {
		Deque<Runnable> restoring = new ArrayDeque<>();
		for (ThreadLocalAccessor<?> accessor : ContextRegistry.getInstance().getThreadLocalAccessors()) {
			guarded(accessor, () -> {
				Object key = accessor.key();
				ContextSnapshot.Scope scope = this.snapshot.setThreadLocals(key::equals);
				restoring.push(() -> guarded(accessor, scope::close));
			});
		}
		try {
			task.run();
		}
		finally {
			restoring.forEach(Runnable::run);
		}
	}

	private static void guarded(ThreadLocalAccessor<?> accessor, Runnable step) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			String name = accessor.getClass().getName();
			if (WARNED.add(name)) {
				logger.warn("{} failed to carry its value to another thread and back", name, ex);
			}
		}
	}

}
