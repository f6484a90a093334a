package dev.backoff.key;

import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

class KeyTableTests {

	private final VirtualTime time = new VirtualTime();

	private final AtomicInteger made = new AtomicInteger();

	private final Set<Integer> busy = new HashSet<>();

	/* Busy also when idle. */
	private final Set<Integer> refusing = new HashSet<>();

	private final KeyTable<Integer> table = new KeyTable<>(this.time, this.made::incrementAndGet,
			(value, idle) -> this.refusing.contains(value) || (!idle && this.busy.contains(value)));

	private int add(int key) {
		return Objects.requireNonNull(this.table.get("tenant " + key));
	}

	@Test
	void manyKeys_atMostAThousandThereAndNoneBusyGone() {
		for (int value = 1; value <= 900; value++) {
			this.busy.add(value);
		}
		for (int key = 1; key <= 100_000; key++) {
			add(key);
			assertThat(this.table.size()).isLessThanOrEqualTo(KeyTable.MOST);
		}
		assertThat(this.table.values().values()).containsAll(this.busy);
		assertThat(this.table.evicted()).isEqualTo(100_000 - this.table.size());
		assertThat(this.table.idle() + this.table.overflowed()).isZero();
	}

	@Test
	void knownKey_keepsItsValueWhileItIsUsed() {
		add(1);
		add(2);
		for (int key = 3; key <= 10_000; key++) {
			add(key);
			assertThat(add(1)).isEqualTo(1);
		}
		assertThat(add(2)).as("not used").isEqualTo(10_001);
	}

	@Test
	void unusedForTenMinutes_goesWhenKeysAreAddedUnlessItRefuses() {
		this.busy.add(add(1));
		this.refusing.add(add(2));
		for (int minute = 3; minute < 100; minute++) {
			this.time.advance(Duration.ofMinutes(1));
			add(minute);
			add(3);
		}
		assertThat(this.table.values()).containsKeys("tenant 2", "tenant 3").doesNotContainKey("tenant 1");
		assertThat(this.table.size()).isBetween(12, 14);
		assertThat(this.table.idle()).isEqualTo(99 - this.table.size());
		assertThat(this.table.evicted()).isZero();
	}

	@Test
	void allBusy_getsNoneUntilOneIsNotForASecond() {
		for (int key = 1; key <= KeyTable.MOST; key++) {
			this.busy.add(add(key));
		}
		assertThat(this.table.get("another")).isNull();
		this.busy.remove(500);
		assertThat(this.table.get("another")).as("it has just been looked at").isNull();
		assertThat(this.table.overflowed()).isEqualTo(2);
		this.time.advance(Duration.ofSeconds(2));
		assertThat(this.table.get("another")).isNotNull();
		assertThat(this.table.values()).hasSize(KeyTable.MOST).doesNotContainKey("tenant 500");
	}

	@Test
	void manyThreads_oneValueForAKeyAndNeverTooMany() throws Exception {
		AtomicInteger greatest = new AtomicInteger();
		Crowd.of(4, (thread) -> {
			for (int key = 0; key < 20_000; key++) {
				assertThat(this.table.get(key % 3_000)).isPositive();
				greatest.accumulateAndGet(this.table.size(), Math::max);
			}
		});
		assertThat(greatest.get()).isLessThanOrEqualTo(KeyTable.MOST);
		assertThat(this.table.values().values()).doesNotHaveDuplicates();
		assertThat(this.made.get() - this.table.evicted()).isEqualTo(this.table.size());
	}

}
