package dev.backoff;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

/**
 * Tasks that one thread runs with the help of an executor, which may be busy, refuse to
 * help or drop what it was given. The helpers take tasks from the front and the thread
 * from the back, so that a slow task delays no other while there are two threads. Their
 * number is bounded, since some executors start a thread for each of them.
 */
final class SharedTasks {

	private static final int MAX_HELPERS = 64;

	private final List<FutureTask<Void>> tasks = new ArrayList<>();

	/** Share tasks that throw nothing. */
	SharedTasks(Collection<Runnable> tasks) {
		tasks.forEach((task) -> this.tasks.add(new FutureTask<>(task, null)));
	}

	/** Return when all are done, or when the thread is interrupted and all have begun. */
	void run(Executor executor) {
		try {
			for (int helper = 0; helper < Math.min(this.tasks.size(), MAX_HELPERS); helper++) {
				executor.execute(() -> this.tasks.forEach(FutureTask::run));
			}
		}
		catch (RuntimeException | Error ex) {
			// this thread and the helpers so far do all
		}
		for (int i = this.tasks.size() - 1; i >= 0; i--) {
			this.tasks.get(i).run();
		}
		for (FutureTask<Void> task : this.tasks) {
			try {
				task.get();
			}
			catch (ExecutionException | CancellationException ex) {
				// a task that failed is done too
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
		}
	}

}
