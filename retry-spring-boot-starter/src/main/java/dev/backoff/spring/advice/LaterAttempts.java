package dev.backoff.spring.advice;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.context.ThreadLocalAccessor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

import dev.backoff.AsyncOperation;

/**
 * Supply the executor for the later attempts of an asynchronous call: the application's
 * executor if it has one, with the context of the calling thread if Micrometer's
 * context-propagation is there to carry it. It is asked on that thread, once for each
 * call. It is no bean, or Spring Boot would withdraw its own executors. Thread-safe.
 */
final class LaterAttempts implements Supplier<Executor> {

	static final String EXECUTOR_BEAN = "applicationTaskExecutor";

	private static final boolean CARRIED = ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory",
			LaterAttempts.class.getClassLoader());

	private final SingletonSupplier<Executor> executor;

	LaterAttempts(BeanFactory beanFactory) {
		this.executor = SingletonSupplier.of(() -> find(beanFactory));
	}

	private static Executor find(BeanFactory beanFactory) {
		return (beanFactory.containsBean(EXECUTOR_BEAN) && beanFactory.isTypeMatch(EXECUTOR_BEAN, Executor.class))
				? beanFactory.getBean(EXECUTOR_BEAN, Executor.class) : new CompletableFuture<Void>().defaultExecutor();
	}

	@Override
	public Executor get() {
		Executor found = this.executor.obtain();
		return CARRIED ? CarryingExecutor.of(found) : found;
	}

	/**
	 * Run tasks on another executor with the context of the calling thread. A call does
	 * not go on without its task, so an accessor that throws costs the call nothing but
	 * the value of this accessor. Loaded only where a context can be carried.
	 */
	private record CarryingExecutor(Executor executor,
			ContextSnapshot snapshot) implements AsyncOperation.CarryingExecutor {

		private static final Logger logger = LoggerFactory.getLogger(CarryingExecutor.class);

		private static final ContextSnapshotFactory SNAPSHOTS = ContextSnapshotFactory.builder().build();

		private static final ContextSnapshot NOTHING = SNAPSHOTS.captureFrom();

		/* The names of accessors whose failures have been logged. */
		private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

		/* A call with nothing to carry needs no executor of its own while it waits. */
		static Executor of(Executor executor) {
			ContextSnapshot snapshot = SNAPSHOTS.captureAll();
			return snapshot.equals(NOTHING) ? executor : new CarryingExecutor(executor, snapshot);
		}

		@Override
		public void execute(Runnable task) {
			this.executor.execute(() -> runHere(task));
		}

		/* One after the other: one that throws would leave others' values set. */
		@Override
		public void runHere(Runnable task) {
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

}
