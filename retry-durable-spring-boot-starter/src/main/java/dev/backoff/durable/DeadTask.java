package dev.backoff.durable;

import com.github.kagkarlsson.scheduler.exceptions.ExecutionException;
import com.github.kagkarlsson.scheduler.task.CompletionHandler;
import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.ExecutionContext;
import com.github.kagkarlsson.scheduler.task.SchedulableInstance;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DuplicateKeyException;

import dev.backoff.durable.DurableMethods.DurableMethod;

/** The engine's task that turns requeued dead letters into calls. Thread-safe. */
record DeadTask(DurableMethod method, DurableParts parts) {

	private static final Logger logger = LoggerFactory.getLogger(DeadTask.class);

	Task<StoredCall> task() {
		return Tasks.custom(StoredCall.deadTask(this.method.policy()), StoredCall.class)
			.onFailure((complete, operations) -> operations.reschedule(complete, StoredCall.NEVER))
			.onDeadExecution((complete, operations) -> operations.reschedule(complete, this.parts.now()))
			.execute(this::execute);
	}

	private CompletionHandler<StoredCall> execute(TaskInstance<StoredCall> instance, ExecutionContext context) {
		Execution execution = context.getExecution();
		StoredCall letter = instance.getData();
		if (!letter.isReadable()) {
			return (complete, operations) -> operations.reschedule(complete, StoredCall.NEVER);
		}
		long deadline = this.parts.methods().policy(this.method).numbers().deadlineNanos();
		StoredCall call = letter.requeued(this.parts.now(), deadline, execution.version);
		SchedulableInstance<StoredCall> row = SchedulableInstance
			.of(new TaskInstance<>(this.method.policy(), call.instance(), call), this.parts.now());
		return (complete, operations) -> {
			String outcome = "Dropped the requeue, since its row has changed:";
			try {
				if (this.parts.store()
					.guarded(execution, letter, true, (guarded) -> guarded.removeAndScheduleNew(row))) {
					outcome = "Requeued";
				}
			}
			catch (DuplicateKeyException ex) {
				outcome = "Not requeued, since another call has the key:";
				// a process that stalls here may have lost a letter that died once more
				boolean unused = this.parts.store()
					.guarded(execution, letter, true,
							(guarded) -> guarded.reschedule(complete, StoredCall.NEVER, letter.taken()));
			}
			catch (ExecutionException | IllegalStateException ex) {
				logger.debug("The row has changed", ex);
			}
			logger.info("{} call {} of policy {}", outcome, call.label(), this.method.policy());
		};
	}

}
