package dev.backoff.durable;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.backoff.Retry;
import dev.backoff.durable.DurableMeters.Count;
import dev.backoff.durable.DurableMethods.DurableMethod;
import dev.backoff.spring.advice.SubmissionGate;
import dev.backoff.spring.policy.AnnotatedMethod;

/** Store calls; one whose key is stored joins that call. Thread-safe. */
record Submissions(DurableParts parts, DurableTraces traces, Workers workers,
		Set<String> warned) implements SubmissionGate, DurableCalls {

	private static final Logger logger = LoggerFactory.getLogger(Submissions.class);

	private static final ThreadLocal<@Nullable Submitting> SUBMITTING = new ThreadLocal<>();

	@Override
	public @Nullable Object store(AnnotatedMethod method, Retry retry, MethodInvocation invocation) {
		DurableMethod durable = this.parts.methods().of(retry.policy().name());
		if (durable == null || !durable.method().equals(method)) {
			throw new IllegalStateException(method.place()
					+ ": invalid durable (true): the class of the bean was not known at start-up. Declare it as the "
					+ "return type of the bean's method.");
		}
		Submitting submitting = SUBMITTING.get();
		Options options = (submitting != null) ? submitting.options() : Options.NONE;
		DurableCall<?> stored = submit(durable, retry, invocation.getArguments(), options);
		if (submitting != null) {
			submitting.calls().add(stored);
		}
		return (method.method().getReturnType() != void.class) ? stored : null;
	}

	@Override
	public DurableCall<?> submit(Options options, Runnable call) {
		Submitting outer = SUBMITTING.get();
		Submitting submission = new Submitting(options, new ArrayList<>());
		SUBMITTING.set(submission);
		try {
			call.run();
		}
		finally {
			SUBMITTING.set(outer);
		}
		if (submission.calls().size() != 1) {
			throw new IllegalStateException(
					"Invalid submission: must call one durable method, and called " + submission.calls().size()
							+ ". A call within the same bean does not pass its proxy, and is none.");
		}
		return submission.calls().get(0);
	}

	private DurableCall<?> submit(DurableMethod method, Retry retry, @Nullable Object[] arguments, Options options) {
		Count outcome = Count.REFUSED;
		try {
			DurableCall<?> stored = store(method, retry, arguments, options);
			outcome = stored.isNew() ? Count.NEW : Count.JOINED;
			return stored;
		}
		finally {
			this.parts.meters().add(outcome, method.policy());
		}
	}

	private DurableCall<?> store(DurableMethod method, Retry retry, @Nullable Object[] arguments, Options options) {
		String key = (options.key() != null) ? method.checkedKey(options.key()) : method.keyOf(arguments);
		Instant now = this.parts.now();
		StoredCall call = StoredCall.submitted(UUID.randomUUID().toString(), key, method.signature(),
				written(method, arguments), now, retry.policy().deadlineNanos(),
				this.traces.submitted(method.policy()));
		Instant due = (options.notBefore() != null && options.notBefore().isAfter(now)) ? options.notBefore() : now;
		if (!due.isBefore(StoredCall.NEVER)) {
			throw new IllegalArgumentException("Invalid notBefore (" + due + "): must be before the year 9999.");
		}
		Store store = this.parts.store();
		warnIfSeparate(store, method);
		boolean created = store.insert(new TaskInstance<>(method.policy(), call.instance(), call), due);
		Runnable stored = () -> {
			if (created) {
				retry.stored(call.id());
			}
			this.workers.arm(method.policy(), due);
		};
		if (store.isJoining()) {
			Store.afterCommit(stored);
		}
		else {
			stored.run();
		}
		String id = created ? call.id()
				: store.find(method.policy(), call.instance()).map(Store::call).map(StoredCall::id).orElse(null);
		return DurableCall.stored(id, key, created);
	}

	private String written(DurableMethod method, @Nullable Object[] arguments) {
		String written;
		try {
			written = this.parts.json().write(method.method(), arguments);
		}
		catch (JacksonException | IllegalArgumentException ex) {
			throw new IllegalArgumentException("Arguments of " + method.signature()
					+ ": cannot be written as JSON and read again. Pass values that Jackson can write and read: "
					+ ((ex instanceof JacksonException problem) ? problem.getOriginalMessage() : ex.getMessage()), ex);
		}
		int size = written.getBytes(StandardCharsets.UTF_8).length;
		int most = this.parts.store().settings.maxPayload();
		if (size > most) {
			throw new IllegalArgumentException("Arguments of " + method.signature() + " (" + size
					+ " bytes of JSON): must not exceed backoff.durable.max-payload (" + most
					+ " bytes). Pass an id instead of the data, or raise it.");
		}
		return written;
	}

	private void warnIfSeparate(Store store, DurableMethod method) {
		if (TransactionSynchronizationManager.isActualTransactionActive() && store.bound() == null
				&& this.warned.add(method.policy())) {
			logger.warn(
					"{} is called in a transaction, and its calls are stored in {}: a rollback leaves the call; this "
							+ "is said once for each method",
					method.signature(),
					store.own ? "a file of their own" : "another database, or by a transaction of its own");
		}
	}

	@Override
	public boolean end(String policy, String key) {
		Store store = this.parts.store();
		StoredCall known = store.find(policy, key).map(Store::call).orElse(null);
		if (known != null && known.slot() != null) {
			throw new IllegalArgumentException("Invalid key (" + key + "): is the row of the schedule, which goes on.");
		}
		// a transaction that the store does not join may be rolled back
		boolean later = store.bound() == null && TransactionSynchronizationManager.isSynchronizationActive();
		if (known == null || (!later && !store.remove(policy, key))) {
			return false;
		}
		Store.afterCommit(later ? () -> remove(policy, key, known.id()) : () -> ended(policy, known.id()));
		return true;
	}

	private void ended(String policy, String id) {
		logger.info("Ended the call {} of policy {}", id, policy);
		this.parts.meters().add(Count.ENDED, policy);
	}

	@Override
	public void remove(String policy, String id) {
		this.parts.store()
			.rows(Store.Part.of(policy, false))
			.filter((row) -> id.equals(Store.call(row).id()))
			.forEach((row) -> remove(policy, row.taskInstance.getId(), id));
	}

	/* The row may change between the look at it and its removal. */
	private void remove(String policy, String key, String id) {
		Store store = this.parts.store();
		for (int tries = 0; tries < 3; tries++) {
			Execution execution = store.find(policy, key).filter((row) -> id.equals(Store.call(row).id())).orElse(null);
			if (execution == null) {
				return;
			}
			Instant now = this.parts.now();
			DurableMethod method = this.parts.methods().of(policy);
			if (store.guarded(execution, Store.call(execution), false,
					(row) -> OneRowSchedule.end(ExecutionComplete.success(execution, now, now), method, now, row))) {
				ended(policy, id);
				return;
			}
		}
		logger.warn("The call {} of policy {} changes too often to be ended", id, policy);
	}

	@Override
	public Optional<DurableState> find(String policy, String key) {
		Store store = this.parts.store();
		return store.find(policy, key)
			.or(() -> store.find(StoredCall.deadTask(policy), key))
			.map((execution) -> state(policy, execution));
	}

	private static DurableState state(String policy, Execution execution) {
		StoredCall call = Store.call(execution);
		boolean dead = !policy.equals(execution.taskInstance.getTaskName());
		DurableState.Phase phase = dead ? DurableState.Phase.DEAD
				: execution.picked ? DurableState.Phase.RUNNING : DurableState.Phase.SCHEDULED;
		String id = call.isReadable() ? call.id() : execution.taskInstance.getId();
		StoredCall.Stop stop = call.stop();
		return new DurableState(policy, id, call.key(), phase, call.attempts(), call.losses(), execution.executionTime,
				call.submitted(), (stop != null) ? stop.story() : null);
	}

	/** The submission with options that this thread makes, and what it has stored. */
	private record Submitting(Options options, List<DurableCall<?>> calls) {
	}

}
