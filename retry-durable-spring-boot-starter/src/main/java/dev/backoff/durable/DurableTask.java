package dev.backoff.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Consumer;

import com.github.kagkarlsson.scheduler.exceptions.ExecutionException;
import com.github.kagkarlsson.scheduler.task.CompletionHandler;
import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.ExecutionContext;
import com.github.kagkarlsson.scheduler.task.ExecutionOperations;
import com.github.kagkarlsson.scheduler.task.SchedulableInstance;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import dev.backoff.KeptCall;
import dev.backoff.KeptNext;
import dev.backoff.delay.RandomSource;
import dev.backoff.durable.DurableMeters.Count;
import dev.backoff.durable.DurableMethods.DurableMethod;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.Idempotency;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.time.RetryTime;

/**
 * The engine's task of one policy: make an attempt of a stored call, then remove its row,
 * move it to its next due time, or replace it by a dead letter. Thread-safe.
 */
final class DurableTask {

	static final Instant NEVER = Instant.parse("9999-12-31T00:00:00Z");

	private static final Logger logger = LoggerFactory.getLogger(DurableTask.class);

	private static final String MDC_CALL = "backoff.call";

	private final DurableMethod method;

	private final Lanes lanes;

	DurableTask(DurableMethod method, Lanes lanes) {
		this.method = method;
		this.lanes = lanes;
	}

	/** Return the task. */
	Task<StoredCall> task() {
		return Tasks.custom(this.method.policy(), StoredCall.class)
			.onFailure(this::failed)
			.onDeadExecution(this::lost)
			.execute(this::execute);
	}

	private CompletionHandler<StoredCall> execute(TaskInstance<StoredCall> instance, ExecutionContext context) {
		Stopwatch watch = new Stopwatch(this.lanes.time(), this.lanes.store().settings().heartbeat().multipliedBy(2));
		Execution execution = context.getExecution();
		StoredCall call = instance.getData();
		this.lanes.meters().late(this.method.policy(), execution.executionTime);
		MDC.put(MDC_CALL, call.id());
		Completion next;
		try {
			next = attempt(call, execution);
		}
		finally {
			MDC.remove(MDC_CALL);
			// the statement to come must not be interrupted
			boolean unused = Thread.interrupted();
		}
		return (complete, operations) -> {
			boolean doubtful = watch.isSlow()
					|| context.getCurrentlyExecuting().getHeartbeatState().hasStaleHeartbeat();
			make(execution, call, doubtful, operations, (made) -> next.complete(complete, made));
		};
	}

	/** Make a statement, guarded if the row may belong to another process by now. */
	private void make(Execution execution, StoredCall call, boolean doubtful,
			ExecutionOperations<StoredCall> operations, Consumer<ExecutionOperations<StoredCall>> statement) {
		try {
			if (!doubtful) {
				statement.accept(operations);
				return;
			}
			if (this.lanes.store().guarded(execution, call, true, statement)) {
				return;
			}
		}
		catch (ExecutionException | IllegalStateException ex) {
			logger.debug("A statement was refused", ex);
		}
		count(Count.FENCED);
		logger.info("Dropped what came of an attempt of call {} of policy {}, which this process has lost", call.id(),
				this.method.policy());
	}

	private void count(Count count) {
		this.lanes.meters().add(count, this.method.policy());
	}

	private Completion attempt(StoredCall call, Execution execution) {
		if (!call.isReadable()) {
			return unreadable(call, execution, "the row is no JSON of a call", null);
		}
		@Nullable Object[] arguments;
		try {
			arguments = this.lanes.json().read(this.method.method().method(), call.arguments());
		}
		catch (RuntimeException ex) {
			return unreadable(call, execution, "its arguments do not fit " + this.method.signature(), ex);
		}
		EffectivePolicy policy = this.lanes.methods().policy(this.method);
		boolean begins = call.slot() != null && call.attempts() == 0 && call.losses() == 0;
		StoredCall current = begins ? call.begun(Instant.now(), policy.numbers().deadlineNanos()) : call;
		int most = (policy.numbers().idempotency() == Idempotency.NO) ? 0 : this.lanes.store().settings().maxLosses();
		String loss = (call.losses() > most) ? times(call.losses()) + " ended with their process" : null;
		KeptCall kept = current.kept(Instant.now(), execution.version, loss);
		KeptNext next;
		try {
			// if the process ended within the recovery, that is not tried again
			next = this.lanes.submissions().attempt(this.method, arguments, kept, call.losses() <= most + 1);
		}
		catch (Throwable ex) {
			logger.warn("An attempt of call {} of policy {} could not be made; it counts as lost", call.id(),
					this.method.policy(), ex);
			return (complete, operations) -> operations.reschedule(complete, dueAfterLoss(call), call.lost());
		}
		return completion(current, execution, next);
	}

	private static String times(int losses) {
		return (losses == 1) ? "1 attempt has" : losses + " attempts have";
	}

	private Completion completion(StoredCall call, Execution execution, KeptNext next) {
		if (next instanceof KeptNext.Again again) {
			if (again.attempts() == call.attempts()) {
				count(Count.POSTPONED);
			}
			return (complete, operations) -> operations.reschedule(
					(again.failure() != null) ? failed(complete, again.failure()) : complete,
					Instant.now().plus(again.delay()), call.again(again));
		}
		if (next instanceof KeptNext.Stopped stopped) {
			RetriesStoppedException story = stopped.story();
			Throwable thrown = (stopped.thrown() != null) ? stopped.thrown() : story.failure();
			StoredCall.Stop stop = new StoredCall.Stop(story.reason().name(),
					(thrown != null) ? thrown.getClass().getName() : null,
					(thrown != null) ? thrown.getMessage() : null, String.valueOf(story.getMessage()));
			return dead(call, execution, call.id(), story.attempts(), stop);
		}
		boolean recovered = next instanceof KeptNext.Done done && done.recovered();
		return (complete, operations) -> {
			end(call, complete, operations);
			count(recovered ? Count.RECOVERED : Count.DONE);
		};
	}

	/* The row of a schedule goes on to its next slot. */
	private void end(StoredCall call, ExecutionComplete complete, ExecutionOperations<StoredCall> operations) {
		OneRowSchedule schedule = (call.slot() != null) ? OneRowSchedule.of(this.lanes.methods().policy(this.method))
				: null;
		if (schedule == null) {
			operations.remove();
			return;
		}
		Instant slot = schedule.next(Instant.now());
		operations.reschedule(complete, slot, OneRowSchedule.call(this.method, slot, call.fence()));
	}

	/* So that the engine's own tools show failures. */
	private static ExecutionComplete failed(ExecutionComplete complete, Throwable failure) {
		return ExecutionComplete.failure(complete.getExecution(), complete.getTimeDone().minus(complete.getDuration()),
				complete.getTimeDone(), failure);
	}

	private Completion unreadable(StoredCall call, Execution execution, String why, @Nullable Exception problem) {
		String id = call.isReadable() ? call.id() : UUID.randomUUID().toString();
		logger.warn("Stopped without an attempt: {}, {} (policy {}, dead letter {})", StopReason.UNREADABLE, why,
				this.method.policy(), id, problem);
		return dead(call, execution, id, call.attempts(), new StoredCall.Stop(StopReason.UNREADABLE.name(),
				(problem != null) ? problem.getClass().getName() : null, null, why));
	}

	private Completion dead(StoredCall call, Execution execution, String id, int attempts, StoredCall.Stop stop) {
		StoredCall letter = call.dead(attempts, stop, execution.version);
		TaskInstance<StoredCall> row = new TaskInstance<>(DeadTask.name(this.method.policy()), id, letter);
		return (complete, operations) -> {
			if (call.slot() == null) {
				operations.removeAndScheduleNew(SchedulableInstance.of(row, NEVER));
			}
			else {
				// if the process ends between the two, the repetition inserts nothing
				boolean unused = this.lanes.store().insert(row, NEVER);
				end(call, complete, operations);
			}
			count(Count.DEAD);
		};
	}

	/* A mistake in this class: the attempt is repeated as if its process had ended. */
	private void failed(ExecutionComplete complete, ExecutionOperations<StoredCall> operations) {
		StoredCall call = (StoredCall) complete.getExecution().taskInstance.getData();
		operations.reschedule(complete, dueAfterLoss(call), call.lost());
	}

	/* By the guard, since the row may hold the next call of its key by now. */
	private void lost(ExecutionComplete complete, ExecutionOperations<StoredCall> operations) {
		Execution execution = complete.getExecution();
		StoredCall call = (StoredCall) execution.taskInstance.getData();
		Consumer<ExecutionOperations<StoredCall>> statement = (made) -> made.reschedule(complete, dueAfterLoss(call),
				call.lost());
		if (this.lanes.store().guarded(execution, call, false, statement)) {
			count(Count.LOST);
			logger.info("Lost an attempt of call {} of policy {}: process {} has shown no sign of life since {}",
					call.id(), this.method.policy(), execution.pickedBy, execution.lastHeartbeat);
		}
	}

	/* Now the first time, and then by the policy's delay. */
	private Instant dueAfterLoss(StoredCall call) {
		if (call.losses() == 0) {
			return Instant.now();
		}
		RetryPolicy policy = this.lanes.methods().policy(this.method).numbers();
		long delay = policy.rule()
			.delay(call.losses(), Duration.ofMillis(call.delayMs()).toNanos(), RandomSource.threadLocal());
		return Instant.now().plusNanos(delay);
	}

	/** The time of an execution by two clocks, of which one may have stepped. */
	private static final class Stopwatch {

		private final RetryTime time;

		private final Duration limit;

		private final long reading;

		private final Instant start = Instant.now();

		Stopwatch(RetryTime time, Duration limit) {
			this.time = time;
			this.limit = limit;
			this.reading = time.nanoTime();
		}

		boolean isSlow() {
			return this.time.nanoTime() - this.reading > this.limit.toNanos()
					|| Duration.between(this.start, Instant.now()).compareTo(this.limit) > 0;
		}

	}

	/** What an execution does with its row at the end. */
	@FunctionalInterface
	private interface Completion {

		void complete(ExecutionComplete complete, ExecutionOperations<StoredCall> operations);

	}

}
