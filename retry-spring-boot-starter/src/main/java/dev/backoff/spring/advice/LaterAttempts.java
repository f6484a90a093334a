package dev.backoff.spring.advice;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

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
		return CARRIED ? CallerContext.carriedTo(found) : found;
	}

	/** The context of the calling thread; loaded only where it can be carried. */
	private static final class CallerContext {

		private static final ContextSnapshotFactory SNAPSHOTS = ContextSnapshotFactory.builder().build();

		private static final ContextSnapshot NOTHING = SNAPSHOTS.captureFrom();

		/* A call with nothing to carry needs no executor of its own while it waits. */
		private static Executor carriedTo(Executor executor) {
			ContextSnapshot snapshot = SNAPSHOTS.captureAll();
			return snapshot.equals(NOTHING) ? executor : new CarryingExecutor(executor, snapshot);
		}

	}

}
