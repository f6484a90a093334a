package dev.backoff.durable;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import com.github.kagkarlsson.scheduler.exceptions.ExecutionException;
import com.github.kagkarlsson.scheduler.exceptions.TaskInstanceCurrentlyExecutingException;
import com.github.kagkarlsson.scheduler.exceptions.TaskInstanceNotFoundException;
import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

import dev.backoff.durable.Store.Part;
import dev.backoff.spring.actuate.EndpointContributor;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.EffectivePolicy;

/** The stored calls of a policy, for an operator to see and to move. Thread-safe. */
record DurablePart(DurableParts parts, Workers workers) implements EndpointContributor {

	private static final Logger logger = LoggerFactory.getLogger(DurablePart.class);

	@Override
	public String name() {
		return "durable";
	}

	@Override
	public Object read(EffectivePolicy policy, Map<String, String> parameters) {
		check(policy, parameters.keySet(), Set.of("state", "limit", "after"));
		String state = parameters.getOrDefault("state", "dead");
		Store store = this.parts.store();
		Map<String, Part> states = Part.states(policy.name());
		Part listed = states.get(state);
		if (listed == null) {
			throw refusal("state", state, "must be scheduled, running, dead or planned", "Write one of them.");
		}
		int limit = limit(parameters.getOrDefault("limit", "50"));
		Execution after = parameters.containsKey("after") ? after(parameters.get("after")) : null;
		List<Map<String, @Nullable Object>> calls = store.page(listed, after, limit)
			.stream()
			.map((row) -> shown(row, state.toUpperCase(Locale.ROOT)))
			.toList();
		Map<String, @Nullable Object> answer = new LinkedHashMap<>();
		Map<String, Integer> counts = new LinkedHashMap<>();
		states.forEach((name, part) -> counts.put(name, store.count(part, Store.MOST)));
		counts.put("unreadable", this.parts.meters().unreadable(policy.name(), this.parts.now()));
		answer.put("counts", counts);
		answer.put("orphans", this.parts.methods().orphans(store, Store.MOST));
		answer.put("countedTo", Store.MOST);
		answer.put("calls", calls);
		if (calls.size() == limit) {
			Map<String, @Nullable Object> last = calls.get(limit - 1);
			answer.put("next", last.get("due") + "," + last.get("row"));
		}
		return answer;
	}

	private static Map<String, @Nullable Object> shown(Execution row, String state) {
		StoredCall call = Store.call(row);
		StoredCall.Stop stop = call.stop();
		Map<String, @Nullable Object> shown = new LinkedHashMap<>();
		shown.put("row", row.taskInstance.getId());
		shown.put("id", call.isReadable() ? call.id() : row.taskInstance.getId());
		shown.put("key", call.key());
		shown.put("state", state);
		shown.put("unreadable", call.isReadable() ? null : true);
		shown.put("attempts", call.attempts());
		shown.put("losses", call.losses());
		shown.put("due", row.executionTime.toString());
		shown.put("submitted", call.submitted().toString());
		shown.put("failure", (stop != null) ? stop.failure() : null);
		shown.put("stop", (stop != null) ? stop.story() : null);
		shown.values().removeIf(Objects::isNull);
		return shown;
	}

	@Override
	public boolean isWritable() {
		return true;
	}

	@Override
	public Object write(EffectivePolicy policy, Map<String, @Nullable Object> body) {
		String action = String.valueOf(body.get("action"));
		boolean all = action.equals("requeue") && !body.containsKey("id");
		check(policy, body.keySet(), all ? Set.of("action", "over", "limit") : Set.of("action", "id"));
		return switch (action) {
			case "requeue", "run-now" -> all ? requeueAll(policy.name(), body) : on(policy.name(), text(body, "id"),
					(row) -> due(policy.name(), row, action.equals("requeue"), this.parts.now()));
			case "put-back" ->
				on(policy.name(), text(body, "id"), (row) -> due(policy.name(), row, true, StoredCall.NEVER));
			case "delete" -> on(policy.name(), text(body, "id"), (row) -> delete(policy.name(), row));
			default ->
				throw refusal("action", action, "must be requeue, put-back, run-now or delete", "Write one of them.");
		};
	}

	private Object delete(String policy, Execution row) {
		if (Store.call(row).slot() != null) {
			return left("it is the row of the schedule, which goes on");
		}
		this.parts.store().client.cancel(row.taskInstance);
		// after a row that cannot be read
		OneRowSchedule.start(this.parts.store(), Objects.requireNonNull(this.parts.methods().of(policy)),
				this.parts.now());
		logger.info("Deleted the call {} of policy {}", Problem.oneLine(row.taskInstance.getId(), Store.MOST), policy);
		return Map.of("deleted", 1);
	}

	private boolean isRequeuable(String policy, StoredCall letter) {
		return letter.isReadable() && this.parts.store().find(policy, letter.instance()).isEmpty();
	}

	private Object requeueAll(String policy, Map<String, @Nullable Object> body) {
		Duration over = body.containsKey("over") ? Overrides.limit("over", text(body, "over")) : Duration.ZERO;
		if (over.compareTo(Duration.ofDays(1)) > 0) {
			throw refusal("over", text(body, "over"), "must be at most a day", "Write a shorter time, such as 10m.");
		}
		int limit = limit(body.containsKey("limit") ? text(body, "limit") : Integer.toString(Store.MOST));
		// neither those that are due already nor those that stay hide the rest
		List<String> rows = this.parts.store()
			.rows(Objects.requireNonNull(Part.states(policy).get("dead")))
			.filter((row) -> isRequeuable(policy, Store.call(row)))
			.limit(limit)
			.map((row) -> row.taskInstance.getId())
			.toList();
		Instant now = this.parts.now();
		int requeued = 0;
		for (int i = 0; i < rows.size(); i++) {
			Instant due = now.plus(over.multipliedBy(i).dividedBy(rows.size()));
			Object answer = on(policy, rows.get(i), (row) -> due(policy, row, true, due));
			requeued += (answer instanceof WebEndpointResponse) ? 0 : 1;
		}
		return Map.of("requeued", requeued);
	}

	private Object due(String policy, Execution row, boolean requeued, Instant due) {
		StoredCall call = Store.call(row);
		if (requeued == row.taskInstance.getTaskName().equals(policy)) {
			return left(requeued ? "it is not dead" : "it is dead; requeue it");
		}
		if (requeued && call.isReadable() && !isRequeuable(policy, call)) {
			return left("its key is taken by another call");
		}
		boolean unused = this.parts.store().client.reschedule(row.taskInstance, due);
		Store.afterCommit(() -> this.workers.arm(row.taskInstance.getTaskName(), due));
		return due.equals(StoredCall.NEVER) ? Map.of("state", "DEAD") : Map.of("due", due.toString());
	}

	/* On a dead letter, else on the row of that name, else on the call with that id. */
	private Object on(String policy, String id, Function<Execution, Object> action) {
		Store store = this.parts.store();
		try {
			return store.inTransaction(() -> store.find(StoredCall.deadTask(policy), id)
				.or(() -> store.find(policy, id))
				.or(() -> Stream.of(Part.of(policy, false), Part.of(policy, true))
					.flatMap(store::rows)
					.filter((row) -> Store.call(row).id().equals(id))
					.findFirst()
					.flatMap((row) -> store.find(policy, row.taskInstance.getId())))
				.map(action)
				.orElseThrow(() -> new TaskInstanceNotFoundException(policy, id)));
		}
		catch (TaskInstanceCurrentlyExecutingException | ExecutionException ex) {
			return left("an attempt of it runs");
		}
		catch (TaskInstanceNotFoundException ex) {
			return answer(WebEndpointResponse.STATUS_NOT_FOUND, "Call " + Problem.oneLine(id)
					+ ": is not known. Write the id or the row of a call, as GET shows it.");
		}
	}

	private static Object left(String why) {
		return answer(409, "The call is left as it is: " + why + ".");
	}

	private static Object answer(int status, String message) {
		return new WebEndpointResponse<>(Map.of("message", message), status);
	}

	private void check(EffectivePolicy policy, Set<String> keys, Set<String> known) {
		if (this.parts.methods().of(policy.name()) == null) {
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
		return Problem.oneLine(value.toString(), Store.MOST);
	}

	private static int limit(String text) {
		if (text.matches("[1-9]\\d{0,2}|" + Store.MOST)) {
			return Integer.parseInt(text);
		}
		throw refusal("limit", text, "must be a number from 1 to " + Store.MOST, "Write such a number.");
	}

	private static Execution after(String text) {
		// databases do not hold all years
		int comma = text.matches("\\d.*") ? text.indexOf(',') : 0;
		try {
			return new Execution(Instant.parse(text.substring(0, Math.max(0, comma))),
					new TaskInstance<>("", Problem.oneLine(text.substring(comma + 1), Store.MOST)));
		}
		catch (DateTimeException ex) {
			throw refusal("after", text, "must be the next of an answer", "Copy next as it is.");
		}
	}

	private static InvalidBackoffException refusal(String name, String value, String rule, String fix) {
		return new InvalidBackoffException(
				List.of(Problem.ofPlace("Invalid " + name + " (" + Problem.oneLine(value) + ")", rule, fix)));
	}

}
