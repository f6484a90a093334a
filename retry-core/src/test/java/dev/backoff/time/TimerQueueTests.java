package dev.backoff.time;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.time.RetryTime.TimerEntry;

import static org.assertj.core.api.Assertions.assertThat;

class TimerQueueTests {

	private final TimerQueue queue = new TimerQueue();

	private Entry add(long due) {
		Entry entry = new Entry(due);
		this.queue.add(entry, due);
		return entry;
	}

	/** Take out all that is due at the reading. */
	private List<Long> polled(long now) {
		List<Long> dues = new ArrayList<>();
		for (TimerEntry due = this.queue.pollDue(now); due != null; due = this.queue.pollDue(now)) {
			dues.add(((Entry) due).due);
			assertThat(due.position).isEqualTo(TimerEntry.NOWHERE);
		}
		return dues;
	}

	@Nested
	class Order {

		@ParameterizedTest
		@ValueSource(longs = { 0, -3, Long.MAX_VALUE - 2, Long.MIN_VALUE + 2, Long.MAX_VALUE / 2 })
		void survivesTheWrapOfTheTicker(long origin) {
			List<Long> dues = List.of(origin, origin + 1, origin + 2, origin + 3, origin + 4,
					origin + Long.MAX_VALUE / 2);
			List<Long> shuffled = new ArrayList<>(dues);
			Collections.shuffle(shuffled, new Random(1));
			shuffled.forEach(TimerQueueTests.this::add);
			assertThat(polled(origin - 1)).isEmpty();
			assertThat(polled(origin + 4)).isEqualTo(dues.subList(0, 5));
			assertThat(polled(origin + Long.MAX_VALUE / 2 - 1)).isEmpty();
			assertThat(polled(origin + Long.MAX_VALUE / 2)).hasSize(1);
		}

		@Test
		void staysThroughAnythingThatIsAddedAndTakenOut() {
			Random random = new Random(40);
			List<Entry> expected = new ArrayList<>();
			for (int i = 0; i < 20_000; i++) {
				if (random.nextInt(5) < 2 && !expected.isEmpty()) {
					Entry removed = expected.remove(random.nextInt(expected.size()));
					assertThat(TimerQueueTests.this.queue.remove(removed)).isTrue();
				}
				else {
					expected.add(add(random.nextInt(1_000)));
				}
			}
			List<Long> dues = expected.stream().map((entry) -> entry.due).sorted().toList();
			assertThat(polled(1_000)).hasSizeGreaterThan(3_000).isEqualTo(dues);
		}

	}

	@Nested
	class Removal {

		@Test
		void isDoneOnce() {
			Entry entry = add(1);
			add(2);
			assertThat(TimerQueueTests.this.queue.remove(entry)).isTrue();
			assertThat(TimerQueueTests.this.queue.remove(entry)).isFalse();
			assertThat(polled(5)).containsExactly(2L);
		}

		@Test
		void leavesOtherQueuesAlone() {
			add(1);
			TimerQueue other = new TimerQueue();
			Entry elsewhere = new Entry(1);
			other.add(elsewhere, 1);
			assertThat(TimerQueueTests.this.queue.remove(elsewhere)).isFalse();
			assertThat(other.size()).isEqualTo(1);
			assertThat(TimerQueueTests.this.queue.size()).isEqualTo(1);
		}

	}

	@Nested
	class Room {

		@Test
		void isGivenBackWhenEntriesAreCancelled() {
			int least = TimerQueueTests.this.queue.capacity();
			List<Entry> entries = new ArrayList<>();
			for (int due = 0; due < 1_000_000; due++) {
				entries.add(add(due));
			}
			assertThat(TimerQueueTests.this.queue.capacity()).isBetween(1_000_000, 1_250_000);
			entries.forEach((entry) -> assertThat(TimerQueueTests.this.queue.remove(entry)).isTrue());
			assertThat(TimerQueueTests.this.queue.capacity()).isEqualTo(least);
		}

	}

	private static final class Entry extends TimerEntry {

		private final long due;

		Entry(long due) {
			this.due = due;
		}

		@Override
		public void run() {
		}

	}

}
