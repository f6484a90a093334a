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

	/** Read a schedule, or throw with the rule that it breaks. */
	OneRowSchedule(String text, @Nullable String zone) {
		boolean regular = text.startsWith(EVERY);
		this.cron = regular ? null : CronExpression.parse(text);
		this.delay = regular ? interval(text.substring(EVERY.length())) : Duration.ZERO;
		try {
			this.zone = (zone != null) ? ZoneId.of(zone) : ZoneId.systemDefault();
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
		return (next != null) ? next.toInstant() : StoredCall.NEVER;
	}

	/** Return the call of a slot, with the same id in each process. */
	static StoredCall call(DurableMethod method, Instant slot, long fence) {
		UUID id = UUID.nameUUIDFromBytes((method.policy() + " " + slot).getBytes(StandardCharsets.UTF_8));
		return StoredCall.ofSlot(id.toString(), method.signature(), "[]", slot, fence);
	}

	/** Insert, move or remove the row of a method, as its schedule wants it now. */
	static void start(Store store, DurableMethod method, Instant now) {
		OneRowSchedule schedule = method.schedule();
		Execution row = store.find(method.policy(), INSTANCE).orElse(null);
		if (row == null && schedule != null) {
			Instant first = schedule.next(now);
			boolean unused = store.insert(new TaskInstance<>(method.policy(), INSTANCE, call(method, first, 0)), first);
		}
		Instant slot = (row != null) ? Store.call(row).slot() : null;
		if (row != null && slot != null && (schedule == null || schedule.isMoved(row, slot, now))) {
			// unless another process has moved or picked it
			boolean unused = store.guarded(row, Store.call(row), false,
					(operations) -> end(ExecutionComplete.success(row, now, now), method, now, operations));
		}
	}

	private boolean isMoved(Execution row, Instant slot, Instant now) {
		boolean other = (this.cron != null) ? !slot.equals(next(now)) : slot.isAfter(next(now));
		return !row.picked && slot.isAfter(now) && other;
	}

	/** Remove a row; that of a schedule goes on to the first slot after a time. */
	static void end(ExecutionComplete complete, @Nullable DurableMethod method, Instant after,
			ExecutionOperations<StoredCall> operations) {
		OneRowSchedule schedule = (method != null) ? method.schedule(complete.getExecution()) : null;
		if (method == null || schedule == null) {
			operations.remove();
			return;
		}
		Instant next = schedule.next(after);
		operations.reschedule(complete, next, call(method, next, Store.call(complete.getExecution()).fence()));
	}

}
