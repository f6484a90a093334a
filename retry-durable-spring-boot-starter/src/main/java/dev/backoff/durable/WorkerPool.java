package dev.backoff.durable;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import dev.backoff.Operation;

/** The threads of a worker, and whether they work for it. Thread-safe. */
final class WorkerPool extends ThreadPoolExecutor {

	private static final ThreadLocal<@Nullable WorkerPool> OF_THREAD = new ThreadLocal<>();

	/* Handed over and not ended. */
	private final AtomicInteger pending = new AtomicInteger();

	/* How many of these run the method of an attempt. */
	private final AtomicInteger outside = new AtomicInteger();

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
		pool.changed.run();
		try {
			return method.run();
		}
		finally {
			pool.outside.decrementAndGet();
			pool.changed.run();
		}
	}

	/** Return whether a thread works for the worker or is about to. */
	boolean isAtWork() {
		// a task is counted as pending before and after it is counted as outside
		int all = this.pending.get();
		int away = this.outside.get();
		return all > away && away < getCorePoolSize();
	}

	@Override
	public void execute(Runnable task) {
		this.handed.incrementAndGet();
		this.pending.incrementAndGet();
		this.changed.run();
		try {
			super.execute(task);
		}
		catch (RuntimeException ex) {
			this.pending.decrementAndGet();
			this.changed.run();
			throw ex;
		}
	}

	@Override
	protected void beforeExecute(Thread thread, Runnable task) {
		OF_THREAD.set(this);
	}

	@Override
	protected void afterExecute(Runnable task, @Nullable Throwable failure) {
		OF_THREAD.remove();
		try {
			this.ended.run();
		}
		finally {
			this.pending.decrementAndGet();
			this.changed.run();
		}
	}

}
