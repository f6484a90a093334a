package dev.backoff;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

/**
 * Tasks that one thread runs with the help of an executor, which may be busy, refuse them
 * or drop them. The executor takes them from the front and the thread from the back, so
 * that a slow task delays no other while there are two threads.
 */
final class SharedTasks {

	private final List<FutureTask<Void>> tasks = new ArrayList<>();

	/** Share tasks that throw nothing. */
	SharedTasks(Collection<Runnable> tasks) {
		tasks.forEach((task) -> this.tasks.add(new FutureTask<>(task, null)));
	}

	/** Return when all are done, or when the thread is interrupted and all have begun. */
	void run(Executor executor) {
		try {
			this.tasks.forEach(executor::execute);
		}
		catch (RuntimeException | Error ex) {
			// the refused ones run here
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
