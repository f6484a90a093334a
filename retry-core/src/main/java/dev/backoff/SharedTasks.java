package dev.backoff;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

/**
 * Tasks that one thread needs done, with the help of an executor that may be busy, refuse
 * them or drop them: it takes them from the front, the thread itself from the back, so a
 * slow one delays no other while there is a second thread.
 */
final class SharedTasks {

	private final List<FutureTask<Void>> tasks = new ArrayList<>();

	/** Share tasks that throw nothing. */
	SharedTasks(Collection<Runnable> tasks) {
		tasks.forEach((task) -> this.tasks.add(new FutureTask<>(task, null)));
	}

	/** Return when all are done, or with the interrupt flag set and all begun. */
	void run(Executor executor) {
		try {
			this.tasks.forEach(executor::execute);
		}
		catch (RuntimeException | Error ex) {
			// what it did not take is done here
		}
		for (int i = this.tasks.size() - 1; i >= 0; i--) {
			this.tasks.get(i).run();
		}
		for (FutureTask<Void> task : this.tasks) {
			if (!await(task)) {
				return;
			}
		}
	}

	private static boolean await(FutureTask<Void> task) {
		try {
			task.get();
		}
		catch (ExecutionException | CancellationException ex) {
			// as good as done
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
		return true;
	}

}
