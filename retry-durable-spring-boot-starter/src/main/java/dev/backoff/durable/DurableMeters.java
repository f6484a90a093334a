package dev.backoff.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import com.github.kagkarlsson.scheduler.task.Execution;
import org.jspecify.annotations.Nullable;

import dev.backoff.durable.Store.Part;

/** Counts of what happens to stored calls, with and without Micrometer. Thread-safe. */
final class DurableMeters {

	private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

	/* When rows, by policy and name, are due again that this process cannot read. */
	private final Map<List<String>, Instant> unreadable = new ConcurrentHashMap<>();

	/* Takes how long after its due time an attempt begins. */
	volatile BiConsumer<String, Duration> lateness = (policy, time) -> {
	};

	enum Count {

		NEW("submitted", "new"), JOINED("submitted", "joined"), REFUSED("submitted", "refused"), DONE("ended", "done"),
		RECOVERED("ended", "recovered"), DEAD("ended", "dead"), ENDED("ended", "ended"), LOST("lost", null),
		FENCED("fenced", null), POSTPONED("postponed", null), POLL_FAILED("polls.failed", null);

		final String meter;

		final @Nullable String outcome;

		Count(String meter, @Nullable String outcome) {
			this.meter = meter;
			this.outcome = outcome;
		}

	}

	void add(Count count, String policy) {
		adder(count, policy).increment();
	}

	LongAdder adder(Count count, String policy) {
		return this.counts.computeIfAbsent(count + " " + policy, (name) -> new LongAdder());
	}

	void unreadable(String policy, String row, Instant due) {
		this.unreadable.put(List.of(policy, row), due);
	}

	/** Return whether a row was put back here until then, since it cannot be read. */
	boolean isUnreadable(String policy, String row, Instant due) {
		return due.equals(this.unreadable.get(List.of(policy, row)));
	}

	/** Return how many rows were put back here, those long due again left out. */
	int unreadable(String policy, Instant now) {
		this.unreadable.values().removeIf((due) -> due.isBefore(now.minusSeconds(60)));
		return (int) this.unreadable.keySet().stream().filter((row) -> row.get(0).equals(policy)).count();
	}

	/** Of the first 100 calls that wait: when one is due, the oldest submitted. */
	record Waiting(Instant due, Instant submitted) {

		static Waiting of(String task, Store store) {
			List<Execution> rows = store.page(Part.of(task, false), null, 100);
			Stream<StoredCall> calls = rows.stream().map(Store::call).filter(StoredCall::isReadable);
			return new Waiting(rows.isEmpty() ? StoredCall.NEVER : rows.get(0).executionTime,
					calls.map(StoredCall::submitted).min(Comparator.naturalOrder()).orElse(StoredCall.NEVER));
		}

	}

}
