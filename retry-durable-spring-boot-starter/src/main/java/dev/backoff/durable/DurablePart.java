package dev.backoff.durable;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import com.github.kagkarlsson.scheduler.ExecutionTimeAndId;
import com.github.kagkarlsson.scheduler.ScheduledExecution;
import com.github.kagkarlsson.scheduler.ScheduledExecutionsFilter;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.exceptions.ExecutionException;
import com.github.kagkarlsson.scheduler.exceptions.TaskInstanceCurrentlyExecutingException;
import com.github.kagkarlsson.scheduler.exceptions.TaskInstanceNotFoundException;
import com.github.kagkarlsson.scheduler.TaskSummary;
import com.github.kagkarlsson.scheduler.task.TaskInstanceId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

import dev.backoff.durable.DurableState.Phase;
import dev.backoff.spring.actuate.EndpointContributor;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.EffectivePolicy;

/**
 * The stored calls of a policy, for an operator: list them, requeue dead letters, make a
 * call due now, delete one. Thread-safe.
 */
final class DurablePart implements EndpointContributor {

	private static final Logger logger = LoggerFactory.getLogger(DurablePart.class);

	private static final int MOST = 1_000;

	private static final int CONFLICT = 409;

	private static final int NOT_FOUND = 404;

	private final Lanes lanes;

	DurablePart(Lanes lanes) {
		this.lanes = lanes;
	}

	@Override
	public String name() {
		return "durable";
	}

	@Override
	public Object read(EffectivePolicy policy, Map<String, String> parameters) {
		check(policy, parameters.keySet(), Set.of("state", "limit", "after"));
		String state = parameters.getOrDefault("state", "dead");
		if (!Set.of("scheduled", "running", "dead").contains(state)) {
			throw refusal("state", state, "must be scheduled, running or dead", "Write one of them.");
		}
		int limit = limit(parameters.getOrDefault("limit", "50"));
		boolean dead = state.equals("dead");
		ScheduledExecutionsFilter filter = ScheduledExecutionsFilter.all()
			.withPicked(state.equals("running"))
			.limit(limit);
		String after = parameters.get("after");
		if (after != null) {
			filter.after(after(after));
		}
		List<Map<String, @Nullable Object>> calls = new ArrayList<>();
		client().fetchScheduledExecutionsForTask(dead ? DeadTask.name(policy.name()) : policy.name(), StoredCall.class,
				filter, (row) -> calls.add(shown(row, dead)));
		Map<String, @Nullable Object> answer = new LinkedHashMap<>();
		Collection<TaskSummary> summary = client().getScheduledExecutionsSummaryByTask();
		Map<String, Integer> counts = counts(policy.name(), summary);
		counts.put("unreadable", this.lanes.meters().unreadable(policy.name(), this.lanes.now()));
		answer.put("counts", counts);
		answer.put("orphans", this.lanes.orphans(summary));
		answer.put("calls", calls);
		if (calls.size() == limit) {
			Map<String, @Nullable Object> last = calls.get(limit - 1);
			answer.put("next", last.get("due") + "," + last.get("row"));
		}
		return answer;
	}

	private static Map<String, Integer> counts(String policy, Collection<TaskSummary> summary) {
		Map<String, Integer> counts = new LinkedHashMap<>();
		summary.forEach((task) -> {
			if (task.taskName().equals(policy)) {
				counts.put("scheduled", task.instanceCount() - task.runningCount());
				counts.put("running", task.runningCount());
			}
			else if (task.taskName().equals(DeadTask.name(policy))) {
				counts.put("dead", task.instanceCount());
			}
		});
		return counts;
	}

	private static Map<String, @Nullable Object> shown(ScheduledExecution<StoredCall> row, boolean dead) {
		StoredCall call = row.getData();
		StoredCall.Stop stop = call.stop();
		Map<String, @Nullable Object> shown = new LinkedHashMap<>();
		shown.put("row", row.getTaskInstance().getId());
		shown.put("id", call.isReadable() ? call.id() : row.getTaskInstance().getId());
		shown.put("key", call.key());
		shown.put("state", (dead ? Phase.DEAD : row.isPicked() ? Phase.RUNNING : Phase.SCHEDULED).name());
		shown.put("attempts", call.attempts());
		shown.put("losses", call.losses());
		shown.put("due", row.getExecutionTime().toString());
		shown.put("submitted", call.submitted().toString());
		shown.put("failure", (stop != null) ? stop.failure() : null);
		shown.put("stop", (stop != null) ? stop.story() : null);
		shown.values().removeIf((value) -> value == null);
		return shown;
	}

	@Override
	public boolean isWritable() {
		return true;
	}

	@Override
	public Object write(EffectivePolicy policy, Map<String, @Nullable Object> body) {
		Object action = body.get("action");
		if ("requeue".equals(action)) {
			return body.containsKey("id") ? requeue(policy, body) : requeueAll(policy, body);
		}
		check(policy, body.keySet(), Set.of("action", "id"));
		if ("run-now".equals(action)) {
			return on(policy.name(), text(body, "id"), (row) -> reschedule(row, this.lanes.now()));
		}
		if ("delete".equals(action)) {
			String id = text(body, "id");
			if (this.lanes.store().find(policy.name(), id).map(Submissions::call).map(StoredCall::slot).isPresent()) {
				return conflict("it is the row of the schedule, which goes on");
			}
			boolean letter = this.lanes.store().find(DeadTask.name(policy.name()), id).isPresent();
			return on(letter ? DeadTask.name(policy.name()) : policy.name(), id, (row) -> {
				client().cancel(row);
				// after a row that cannot be read
				this.lanes.schedule(Objects.requireNonNull(this.lanes.methods().of(policy.name())));
				logger.info("Deleted the call {} of policy {}", id, policy.name());
				return Map.of("deleted", 1);
			});
		}
		throw refusal("action", String.valueOf(action), "must be requeue, run-now or delete", "Write one of them.");
	}

	private Object requeue(EffectivePolicy policy, Map<String, @Nullable Object> body) {
		check(policy, body.keySet(), Set.of("action", "id"));
		return on(DeadTask.name(policy.name()), text(body, "id"), (row) -> {
			boolean taken = this.lanes.store()
				.find(row.getTaskName(), row.getId())
				.map((letter) -> (StoredCall) letter.taskInstance.getData())
				.filter((letter) -> letter.isReadable() && !isRequeuable(policy.name(), letter))
				.isPresent();
			return taken ? conflict("its key is taken by another call") : reschedule(row, this.lanes.now());
		});
	}

	private boolean isRequeuable(String policy, StoredCall letter) {
		return letter.isReadable() && this.lanes.store().find(policy, letter.instance()).isEmpty();
	}

	private Object requeueAll(EffectivePolicy policy, Map<String, @Nullable Object> body) {
		check(policy, body.keySet(), Set.of("action", "over", "limit"));
		Duration over = body.containsKey("over") ? Overrides.limit("over", text(body, "over")) : Duration.ZERO;
		int limit = limit(body.containsKey("limit") ? text(body, "limit") : Integer.toString(MOST));
		List<TaskInstanceId> rows = requeuable(policy.name(), limit);
		Instant now = this.lanes.now();
		int requeued = 0;
		for (int i = 0; i < rows.size(); i++) {
			Instant due = now.plus(over.multipliedBy(i).dividedBy(rows.size()));
			Object answer = on(rows.get(i).getTaskName(), rows.get(i).getId(), (row) -> reschedule(row, due));
			requeued += (answer instanceof WebEndpointResponse) ? 0 : 1;
		}
		return Map.of("requeued", requeued);
	}

	/* Neither those that are due already nor those that stay hide the rest. */
	private List<TaskInstanceId> requeuable(String policy, int limit) {
		List<TaskInstanceId> rows = new ArrayList<>();
		List<ScheduledExecution<StoredCall>> page;
		String last = "";
		do {
			page = client().getScheduledExecutionsForTask(DeadTask.name(policy), StoredCall.class,
					ScheduledExecutionsFilter.all()
						.withPicked(false)
						.after(new ExecutionTimeAndId(DurableTask.NEVER, last))
						.limit(MOST));
			for (ScheduledExecution<StoredCall> letter : page) {
				last = letter.getTaskInstance().getId();
				if (rows.size() < limit && isRequeuable(policy, letter.getData())) {
					rows.add(letter.getTaskInstance());
				}
			}
		}
		while (page.size() == MOST && rows.size() < limit);
		return rows;
	}

	private Object reschedule(TaskInstanceId row, Instant due) {
		boolean unused = client().reschedule(row, due);
		Submissions.afterCommit(() -> this.lanes.arm(row.getTaskName(), due));
		return Map.of("due", due.toString());
	}

	private Object on(String task, String instance, Function<TaskInstanceId, Object> action) {
		try {
			return this.lanes.store().inTransaction(() -> action.apply(TaskInstanceId.of(task, instance)));
		}
		catch (TaskInstanceCurrentlyExecutingException | ExecutionException ex) {
			return conflict("an attempt of it runs");
		}
		catch (TaskInstanceNotFoundException ex) {
			return new WebEndpointResponse<>(
					Map.of("message",
							"Call " + Overrides.oneLine(instance)
									+ ": is not known. Write the row of a call, as the answer to GET shows it."),
					NOT_FOUND);
		}
	}

	private static WebEndpointResponse<Object> conflict(String why) {
		return new WebEndpointResponse<>(Map.of("message", "The call is left as it is: " + why + "."), CONFLICT);
	}

	private SchedulerClient client() {
		return this.lanes.store().client();
	}

	private void check(EffectivePolicy policy, Set<String> keys, Set<String> known) {
		if (this.lanes.methods().of(policy.name()) == null) {
			throw refusal("policy", policy.name(), "must be durable", "Name a durable policy.");
		}
		for (String key : keys) {
			if (!known.contains(key)) {
				throw refusal("key", key, "is not known here", "Write " + String.join(", ", known) + ".");
			}
		}
	}

	private static String text(Map<String, @Nullable Object> body, String key) {
		Object value = body.get(key);
		if (value == null || value.toString().isBlank()) {
			throw refusal(key, String.valueOf(value), "must be given", "Write the " + key + ".");
		}
		return value.toString();
	}

	private static int limit(String text) {
		if (text.matches("\\d{1,4}")) {
			int limit = Integer.parseInt(text);
			if (limit >= 1 && limit <= MOST) {
				return limit;
			}
		}
		throw refusal("limit", text, "must be a number from 1 to " + MOST, "Write such a number.");
	}

	private static ExecutionTimeAndId after(String text) {
		int comma = text.indexOf(',');
		try {
			return new ExecutionTimeAndId(Instant.parse(text.substring(0, Math.max(0, comma))),
					text.substring(comma + 1));
		}
		catch (DateTimeException ex) {
			throw refusal("after", text, "must be the next of an answer", "Copy next as it is.");
		}
	}

	private static InvalidBackoffException refusal(String name, String value, String rule, String fix) {
		return new InvalidBackoffException(
				List.of(Problem.ofPlace("Invalid " + name + " (" + Overrides.oneLine(value) + ")", rule, fix)));
	}

}
