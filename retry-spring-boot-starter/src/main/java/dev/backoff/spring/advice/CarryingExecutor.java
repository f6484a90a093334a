package dev.backoff.spring.advice;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Run tasks on another executor with what was bound to the thread that asked. A call does
 * not go on without its task, so an accessor that throws there costs it no more than what
 * the accessor should have carried.
 *
 * @param executor runs the tasks
 * @param snapshot what was bound
 */
record CarryingExecutor(Executor executor, ContextSnapshot snapshot) implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(CarryingExecutor.class);

	/* Accessors of which this has been told. */
	private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

	@Override
	public void execute(Runnable task) {
		this.executor.execute(() -> run(task));
	}

	/*
	 * One by one, or what comes before an accessor that throws would stay on the thread.
	 */
	private void run(Runnable task) {
		Deque<Carried> carried = new ArrayDeque<>();
		for (ThreadLocalAccessor<?> accessor : ContextRegistry.getInstance().getThreadLocalAccessors()) {
			ContextSnapshot.Scope scope = open(accessor);
			if (scope != null) {
				carried.push(new Carried(accessor, scope));
			}
		}
		try {
			task.run();
		}
		finally {
			carried.forEach(CarryingExecutor::close);
		}
	}

	private ContextSnapshot.@Nullable Scope open(ThreadLocalAccessor<?> accessor) {
		try {
			Object key = accessor.key();
			return this.snapshot.setThreadLocals(key::equals);
		}
		catch (Throwable ex) {
			warn(accessor, ex);
			return null;
		}
	}

	private static void close(Carried carried) {
		try {
			carried.scope().close();
		}
		catch (Throwable ex) {
			warn(carried.accessor(), ex);
		}
	}

	private static void warn(ThreadLocalAccessor<?> accessor, Throwable failure) {
		String name = accessor.getClass().getName();
		if (WARNED.add(name)) {
			logger.warn("{} failed to carry what it is for to another thread and back", name, failure);
		}
	}

	/**
	 * What one accessor has bound to the thread.
	 *
	 * @param accessor which one
	 * @param scope takes it off again
	 */
	private record Carried(ThreadLocalAccessor<?> accessor, ContextSnapshot.Scope scope) {
	}

}
