package dev.backoff.durable;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.UUID;

import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.ExecutionOperations;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.scheduling.support.CronExpression;

import dev.backoff.durable.DurableMethods.DurableMethod;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.PolicyKey;

/**
 * The schedule of a durable method: one row, which goes from slot to slot. A slot is a
 * call; while it is retried, the row waits for that, so that no two slots run at once.
 * Slots that were missed run once. Immutable and thread-safe.
 */
final class OneRowSchedule {

	/** The name of the row. */
	static final String INSTANCE = "schedule";

	private static final String EVERY = "every ";

	private final @Nullable CronExpression cron;

	private final Duration delay;

	private final ZoneId zone;

	OneRowSchedule(@Nullable CronExpression cron, Duration delay, ZoneId zone) {
		this.cron = cron;
		this.delay = delay;
		this.zone = zone;
	}

	/**
	 * Return the schedule of a policy, or null if it has none.
	 * @throws IllegalArgumentException if it cannot be read; the message is the rule
	 */
	static @Nullable OneRowSchedule of(EffectivePolicy policy) {
		EffectivePolicy.Value text = policy.values().get(PolicyKey.SCHEDULE);
		EffectivePolicy.Value zone = policy.values().get(PolicyKey.SCHEDULE_ZONE);
		if (text == null) {
			return null;
		}
		try {
			ZoneId place = (zone != null) ? ZoneId.of(zone.text()) : ZoneId.systemDefault();
			return text.text().startsWith(EVERY)
					? new OneRowSchedule(null, interval(text.text().substring(EVERY.length())), place)
					: new OneRowSchedule(CronExpression.parse(text.text()), Duration.ZERO, place);
		}
		catch (DateTimeException ex) {
			throw new IllegalArgumentException("needs a time zone that is known: " + ex.getMessage(), ex);
		}
	}

	private static Duration interval(String text) {
		if (text.strip().matches("[+-]?\\d+")) {
			throw new IllegalArgumentException("needs a unit, such as every 10m");
		}
		Duration interval = DurationStyle.detectAndParse(text.strip());
		if (interval.isZero() || interval.isNegative()) {
			throw new IllegalArgumentException("must be longer than zero");
		}
		return interval;
	}

	/** Return the first slot after a time. */
	Instant next(Instant after) {
		if (this.cron == null) {
			return after.plus(this.delay);
		}
		ZonedDateTime next = this.cron.next(after.atZone(this.zone));
		return (next != null) ? next.toInstant() : DurableTask.NEVER;
	}

	/** Return the call of a slot, with the same id in each process. */
	static StoredCall call(DurableMethod method, Instant slot, long fence) {
		UUID id = UUID.nameUUIDFromBytes((method.policy() + " " + slot).getBytes(StandardCharsets.UTF_8));
		return StoredCall.ofSlot(id.toString(), method.signature(), "[]", slot, fence);
	}

	/**
	 * Insert the row if there is none, and move it if its slot lies ahead and is none any
	 * more.
	 */
	void start(Store store, DurableMethod method, Instant now) {
		Instant slot = next(now);
		Execution row = store.find(method.policy(), INSTANCE).orElse(null);
		if (row == null) {
			boolean unused = store.insert(new TaskInstance<>(method.policy(), INSTANCE, call(method, slot, 0)), slot);
			return;
		}
		StoredCall waiting = (StoredCall) row.taskInstance.getData();
		if (waiting.slot() == null || row.picked || !waiting.slot().isAfter(now)) {
			return;
		}
		if ((this.cron != null) ? !waiting.slot().equals(slot) : waiting.slot().isAfter(slot)) {
			// unless another process has moved or picked it
			boolean unused = store.guarded(row, waiting, false, (operations) -> skip(row, method, now, operations));
		}
	}

	/** Move the row to the next slot, without a call. */
	void skip(Execution row, DurableMethod method, Instant now, ExecutionOperations<StoredCall> operations) {
		Instant slot = next(now);
		long fence = ((StoredCall) row.taskInstance.getData()).fence();
		operations.reschedule(ExecutionComplete.success(row, now, now), slot, call(method, slot, fence));
	}

	/** Remove the row of a method that has no schedule any more. */
	static void remove(Store store, DurableMethod method) {
		store.find(method.policy(), INSTANCE).ifPresent((row) -> {
			StoredCall call = (StoredCall) row.taskInstance.getData();
			if (call.slot() != null) {
				boolean unused = store.guarded(row, call, false, (operations) -> operations.remove());
			}
		});
	}

}
