package dev.backoff.durable;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import dev.backoff.Operation;

/**
 * The threads of a worker, and whether they are at work for it, outside the methods of
 * attempts. Thread-safe.
 */
final class WorkerPool extends ThreadPoolExecutor {

	private static final ThreadLocal<@Nullable WorkerPool> OF_THREAD = new ThreadLocal<>();

	/* Handed over and not begun. */
	private final AtomicInteger waiting = new AtomicInteger();

	private final AtomicInteger working = new AtomicInteger();

	private final AtomicInteger outside = new AtomicInteger();

	/* In all. */
	final AtomicInteger handed = new AtomicInteger();

	private final Runnable ended;

	private final Runnable changed;

	/** Make a pool that tells each end of a task, and when its work may begin or end. */
	WorkerPool(int threads, ThreadFactory factory, Runnable ended, Runnable changed) {
		super(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
		this.ended = ended;
		this.changed = changed;
	}

	/** Run a method that this thread does not make for its worker. */
	static @Nullable Object outside(Operation<?, ?> method) throws Throwable {
		WorkerPool pool = OF_THREAD.get();
		if (pool == null) {
			return method.run();
		}
		pool.outside.incrementAndGet();
		pool.working.decrementAndGet();
		pool.changed.run();
		try {
			return method.run();
		}
		finally {
			pool.working.incrementAndGet();
			pool.outside.decrementAndGet();
			pool.changed.run();
		}
	}

	/** Return whether a thread works for the worker or is about to. */
	boolean isAtWork() {
		// a task that begins is counted as working first
		return (this.waiting.get() > 0 && this.outside.get() < getCorePoolSize()) || this.working.get() > 0;
	}

	@Override
	public void execute(Runnable task) {
		this.handed.incrementAndGet();
		this.waiting.incrementAndGet();
		this.changed.run();
		try {
			super.execute(task);
		}
		catch (RuntimeException ex) {
			this.waiting.decrementAndGet();
			this.changed.run();
			throw ex;
		}
	}

	@Override
	protected void beforeExecute(Thread thread, Runnable task) {
		this.working.incrementAndGet();
		this.waiting.decrementAndGet();
		this.changed.run();
		OF_THREAD.set(this);
	}

	@Override
	protected void afterExecute(Runnable task, @Nullable Throwable failure) {
		OF_THREAD.remove();
		try {
			this.ended.run();
		}
		finally {
			this.working.decrementAndGet();
			this.changed.run();
		}
	}

}
