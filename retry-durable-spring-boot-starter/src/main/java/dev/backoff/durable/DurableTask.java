package dev.backoff.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

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

import org.springframework.dao.DuplicateKeyException;

import dev.backoff.ResumedCall;
import dev.backoff.delay.RandomSource;
import dev.backoff.durable.DurableMeters.Count;
import dev.backoff.durable.DurableMethods.DurableMethod;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.Idempotency;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.observation.StopLogger;
import dev.backoff.spring.policy.EffectivePolicy;

/**
 * The engine's task of one policy: make an attempt of a stored call, then remove its row,
 * move it to its next due time, or replace it by a dead letter. Thread-safe.
 */
record DurableTask(DurableMethod method, DurableParts parts, StoredAttempts attempts, Supplier<Optional<Worker>> worker,
		AtomicReference<Instant> warned) {

	private static final Logger logger = LoggerFactory.getLogger(DurableTask.class);

	Task<StoredCall> task() {
		return Tasks.custom(this.method.policy(), StoredCall.class).onDeadExecution(this::lost).execute(this::execute);
	}

	private CompletionHandler<StoredCall> execute(TaskInstance<StoredCall> instance, ExecutionContext context) {
		long begun = Worker.TIMER.nanoTime();
		Execution execution = context.getExecution();
		StoredCall call = instance.getData();
		if (!this.parts.store().isPickedHere(execution)) {
			return (complete, operations) -> fenced(call);
		}
		CompletionHandler<StoredCall> next = next(call, execution);
		return (complete, operations) -> {
			// the next call of the key may have been stored and picked meanwhile
			boolean doubtful = call.key() != null || isSlow(begun, execution)
					|| context.getCurrentlyExecuting().getHeartbeatState().hasStaleHeartbeat();
			make(execution, call, doubtful, operations, (made) -> next.complete(complete, made));
		};
	}

	/* By two clocks, of which one may have stepped. */
	private boolean isSlow(long begun, Execution execution) {
		Duration limit = this.parts.store().settings.heartbeat().plus(this.parts.store().settings.heartbeat());
		return Worker.TIMER.nanoTime() - begun > limit.toNanos()
				|| Duration.between(execution.lastHeartbeat, this.parts.now()).abs().compareTo(limit) > 0;
	}

	private CompletionHandler<StoredCall> next(StoredCall call, Execution execution) {
		Instant now = this.parts.now();
		if (execution.executionTime.isAfter(now)) {
			// the next call of the key that was due has the same version
			return putBack(execution, call, execution.executionTime);
		}
		long early = this.worker.get().map(Worker::takeTurn).orElse(0L);
		if (early > 0) {
			count(Count.POSTPONED);
			// not all of them at once
			return putBack(execution, call, now.plusNanos((long) (early * (1 + RandomSource.threadLocal().next()))));
		}
		this.parts.meters().lateness.accept(this.method.policy(), Duration.between(execution.executionTime, now));
		MDC.put(StopLogger.STORED_CALL, call.id());
		if (call.key() != null) {
			MDC.put(StopLogger.STORED_KEY, call.key());
		}
		try {
			return attempt(call, execution);
		}
		catch (Throwable ex) {
			return unanswered(call, ex);
		}
		finally {
			MDC.remove(StopLogger.STORED_CALL);
			MDC.remove(StopLogger.STORED_KEY);
			// the statement to come must not be interrupted
			boolean unused = Thread.interrupted();
		}
	}

	/**
	 * Make a statement, guarded if the row may belong to another process by now. One that
	 * fails is made once more, guarded, since it may have taken effect.
	 */
	private void make(Execution execution, StoredCall call, boolean doubtful,
			ExecutionOperations<StoredCall> operations, Consumer<ExecutionOperations<StoredCall>> statement) {
		try {
			if (!doubtful) {
				statement.accept(operations);
			}
			else if (!this.parts.store().guarded(execution, call, true, statement)) {
				fenced(call);
			}
		}
		catch (RuntimeException ex) {
			logger.debug("A statement has failed and is made once more", ex);
			if (!isMadeAgain(execution, call, statement)) {
				fenced(call);
			}
		}
	}

	private boolean isMadeAgain(Execution execution, StoredCall call,
			Consumer<ExecutionOperations<StoredCall>> statement) {
		try {
			return this.parts.store().guarded(execution, call, true, statement);
		}
		catch (DuplicateKeyException ex) {
			// its dead letter is there, if both a slot and the call requeued from it die
			return this.parts.store().guarded(execution, call, true, (made) -> made.remove());
		}
	}

	private void fenced(StoredCall call) {
		count(Count.FENCED);
		logger.info("Stored nothing more about an attempt of call {} of policy {}, since its row has changed",
				call.label(), this.method.policy());
	}

	private void count(Count count) {
		this.parts.meters().add(count, this.method.policy());
	}

	private CompletionHandler<StoredCall> attempt(StoredCall call, Execution execution) throws Throwable {
		@Nullable Object[] arguments;
		try {
			arguments = this.parts.json().read(this.method.method(), call.arguments());
		}
		catch (RuntimeException | LinkageError | StackOverflowError ex) {
			return unreadable(call, execution, ex);
		}
		EffectivePolicy policy = this.parts.methods().policy(this.method);
		boolean begins = call.slot() != null && call.attempts() == 0;
		StoredCall current = begins ? call.begun(this.parts.now(), policy.numbers().deadlineNanos()) : call;
		int most = (policy.numbers().idempotency() == Idempotency.NO) ? 0 : this.parts.store().settings.maxLosses();
		String loss = (call.losses() > most) ? "attempts that ended with their process: " + call.losses() : null;
		ResumedCall kept = current.kept(this.parts.now(), execution.version, loss);
		// if the process ended within the recovery, that is not tried again
		ResumedCall.Result next = this.attempts.make(this.method, arguments, kept, call.losses() <= most + 1,
				call.trace());
		if (!(next instanceof ResumedCall.Again again) || again.attempts() > call.attempts()) {
			boolean well = next instanceof ResumedCall.Done done && !done.recovered();
			this.worker.get().ifPresent((worker) -> worker.attempted(execution.consecutiveFailures > 0, well));
		}
		return completion(current, execution, next);
	}

	private CompletionHandler<StoredCall> completion(StoredCall call, Execution execution, ResumedCall.Result next) {
		if (next instanceof ResumedCall.Again again) {
			return again(call, execution, again);
		}
		if (next instanceof ResumedCall.Stopped stopped) {
			RetriesStoppedException report = stopped.report();
			Throwable thrown = (stopped.thrown() != null) ? stopped.thrown() : report.failure();
			return dead(call, execution, report.attempts(),
					call.stop(thrown).because(report.reason(), String.valueOf(report.getMessage())));
		}
		Count ended = (next instanceof ResumedCall.Done done && done.recovered()) ? Count.RECOVERED : Count.DONE;
		return (complete, operations) -> {
			end(call, complete, operations);
			count(ended);
		};
	}

	private CompletionHandler<StoredCall> again(StoredCall call, Execution execution, ResumedCall.Again again) {
		StoredCall next = call.again(again);
		if (again.attempts() > call.attempts()) {
			return (complete, operations) -> operations.reschedule(failed(complete, again.failure()),
					this.parts.now().plus(again.delay()), next);
		}
		if (again.failure() != null && this.worker.get().isPresent()) {
			// no shutdown has interrupted it, and it could be so for ever
			return unanswered(call, again.failure());
		}
		count(Count.POSTPONED);
		// while the worker pauses, the row keeps its place
		boolean paused = this.worker.get().filter(Worker::check).isPresent();
		return putBack(execution, next, paused ? execution.executionTime : this.parts.now().plus(again.delay()));
	}

	/* Its count of failures stays, to which the engine adds one. */
	private static CompletionHandler<StoredCall> putBack(Execution execution, StoredCall call, Instant due) {
		int failures = execution.consecutiveFailures;
		return (complete, operations) -> {
			execution.consecutiveFailures = failures - 1;
			operations.reschedule((failures > 0) ? failed(complete, null) : complete, due, call);
		};
	}

	private CompletionHandler<StoredCall> unanswered(StoredCall call, Throwable problem) {
		logger.warn("An attempt of call {} of policy {} could not be made or was interrupted; it counts as lost: {}",
				call.label(), this.method.policy(), problem.getClass().getName());
		return (complete, operations) -> {
			repeat(failed(complete, problem), call, operations);
			count(Count.LOST);
		};
	}

	/* An operator may have let a slot run before its time. */
	private void end(StoredCall call, ExecutionComplete complete, ExecutionOperations<StoredCall> operations) {
		Instant now = this.parts.now();
		Instant after = (call.slot() != null && call.slot().isAfter(now)) ? call.slot() : now;
		OneRowSchedule.end(complete, this.method, after, operations);
	}

	/* So that workers and the engine's own tools know what has failed. */
	private static ExecutionComplete failed(ExecutionComplete complete, @Nullable Throwable failure) {
		return ExecutionComplete.failure(complete.getExecution(), complete.getTimeDone().minus(complete.getDuration()),
				complete.getTimeDone(), failure);
	}

	/* Another version of the method may have stored it, which runs in another process. */
	private CompletionHandler<StoredCall> unreadable(StoredCall call, Execution execution, Throwable problem) {
		String policy = this.method.policy();
		String why = call.isReadable() ? "its arguments do not fit " + this.method.signature() : "it is no call";
		logger.debug("Cannot read the row {} of policy {}", execution.taskInstance.getId(), policy, problem);
		Instant now = this.parts.now();
		if (call.deadline() != null && !now.isBefore(call.deadline())) {
			logger.warn("Stopped without another attempt: {}, {} (policy {}, dead letter {})", StopReason.DEADLINE, why,
					policy, call.id());
			return dead(call, execution, call.attempts(), call.stop(null).because(StopReason.DEADLINE, why));
		}
		Instant soonest = now.plus(this.parts.store().settings.pollInterval());
		Instant due = Collections.max(List.of(soonest, due(call, Math.max(1, call.attempts()))));
		this.parts.meters().unreadable(policy, execution.taskInstance.getId(), due);
		Instant before = this.warned.get();
		if (Duration.between(before, now).toMinutes() != 0 && this.warned.compareAndSet(before, now)) {
			logger.warn(
					"Stored calls of policy {} that this process cannot read: {}. They wait for a process that can, or "
							+ "for an operator (row {}: {})",
					policy, this.parts.meters().unreadable(policy, now),
					Problem.oneLine(execution.taskInstance.getId(), StoredCall.LONGEST_KEY), why);
		}
		return putBack(execution, call, due);
	}

	private CompletionHandler<StoredCall> dead(StoredCall call, Execution execution, int attempts,
			StoredCall.Stop stop) {
		StoredCall letter = call.dead(attempts, stop, execution.version);
		TaskInstance<StoredCall> row = new TaskInstance<>(StoredCall.deadTask(this.method.policy()), call.id(), letter);
		return (complete, operations) -> {
			if (this.method.schedule(execution) == null) {
				operations.removeAndScheduleNew(SchedulableInstance.of(row, StoredCall.NEVER));
			}
			else {
				// if the process ends between the two, the repetition inserts nothing
				boolean unused = this.parts.store().insert(row, StoredCall.NEVER);
				end(call, complete, operations);
			}
			count(Count.DEAD);
		};
	}

	/* By the guard, since the row may hold the next call of its key by now. */
	private void lost(ExecutionComplete complete, ExecutionOperations<StoredCall> operations) {
		Execution execution = complete.getExecution();
		StoredCall call = Store.call(execution);
		if (this.parts.store().guarded(execution, call, false, (made) -> repeat(complete, call, made))) {
			count(Count.LOST);
			logger.info("Lost an attempt of call {} of policy {}: process {} has shown no sign of life since {}",
					call.label(), this.method.policy(), execution.pickedBy, execution.lastHeartbeat);
		}
	}

	/* Now the first time, and then by the policy's delay. */
	private void repeat(ExecutionComplete complete, StoredCall call, ExecutionOperations<StoredCall> operations) {
		Instant due = (call.losses() == 0) ? this.parts.now() : due(call, call.losses());
		operations.reschedule(complete, due, call.lost());
	}

	private Instant due(StoredCall call, int retry) {
		RetryPolicy policy = this.parts.methods().policy(this.method).numbers();
		long delay = policy.rule()
			.delay(retry, Duration.ofMillis(call.delayMs()).toNanos(), RandomSource.threadLocal());
		return this.parts.now().plusNanos(delay);
	}

}
