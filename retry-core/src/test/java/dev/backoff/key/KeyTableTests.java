package dev.backoff.key;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
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
		return Objects.requireNonNull(this.table.slot("tenant " + key)).value();
	}

	private void fill() {
		for (int key = 1; key <= KeyTable.MOST; key++) {
			assertThat(add(key)).isEqualTo(key);
		}
	}

	@Test
	void aMillionKeys_atMostAThousandThereAndNoneBusyGone() {
		for (int value = 1; value <= 900; value++) {
			this.busy.add(value);
		}
		for (int key = 1; key <= 1_000_000; key++) {
			add(key);
			assertThat(this.table.size()).isLessThanOrEqualTo(KeyTable.MOST);
		}
		assertThat(this.table.values().values()).hasSize(KeyTable.MOST).containsAll(this.busy);
		assertThat(this.table.evicted()).isEqualTo(1_000_000 - KeyTable.MOST);
		assertThat(this.table.idle() + this.table.overflowed()).isZero();
	}

	@Test
	void knownKey_keepsItsValueWhileItIsUsed() {
		KeyTable.Slot<Integer> first = Objects.requireNonNull(this.table.slot("tenant 1"));
		for (int key = 2; key <= 10_000; key++) {
			add(key);
			assertThat(first.use()).isTrue();
		}
		assertThat(add(1)).isEqualTo(1);
		assertThat(this.table.values()).containsEntry("tenant 1", 1);
	}

	@Test
	void keyThatMadeRoom_getsAnotherValue() {
		KeyTable.Slot<Integer> first = Objects.requireNonNull(this.table.slot("tenant 1"));
		for (int key = 2; key <= 10_000; key++) {
			add(key);
		}
		assertThat(first.use()).isFalse();
		assertThat(add(1)).isEqualTo(10_001);
	}

	@Test
	void unusedForTenMinutes_goesWhenKeysAreAddedUnlessItRefuses() {
		this.busy.add(add(1));
		this.refusing.add(add(2));
		KeyTable.Slot<Integer> used = Objects.requireNonNull(this.table.slot("used"));
		for (int key = 100; key < 200; key++) {
			add(key);
		}
		this.time.advance(Duration.ofMinutes(9));
		for (int key = 200; key < 400; key++) {
			add(key);
		}
		assertThat(this.table.size()).isEqualTo(303);
		for (int key = 400; key < 800; key++) {
			this.time.advance(Duration.ofMinutes(1));
			assertThat(used.use()).isTrue();
			add(key);
		}
		assertThat(this.table.values()).containsKeys("used", "tenant 2").doesNotContainKey("tenant 1");
		assertThat(this.table.size()).isLessThan(100);
		assertThat(this.table.idle()).isEqualTo(703 - this.table.size());
		assertThat(this.table.evicted()).isZero();
	}

	@Test
	void allBusy_getsNoneUntilOneIsNotForASecond() {
		fill();
		this.busy.addAll(this.table.values().values());
		assertThat(this.table.slot("another")).isNull();
		this.busy.remove(500);
		assertThat(this.table.slot("another")).as("it has just been looked at").isNull();
		assertThat(this.table.overflowed()).isEqualTo(2);
		this.time.advance(Duration.ofSeconds(1));
		assertThat(this.table.slot("another")).isNotNull();
		assertThat(this.table.values()).hasSize(KeyTable.MOST).doesNotContainKey("tenant 500");
	}

	@Test
	void manyThreads_oneValueForAKeyAndNeverTooMany() throws Exception {
		List<Integer> sizes = new ArrayList<>();
		Crowd.of(4, (thread) -> {
			for (int key = 0; key < 20_000; key++) {
				KeyTable.Slot<Integer> slot = Objects.requireNonNull(this.table.slot(key % 3_000));
				assertThat(slot.value()).isPositive();
				if (this.table.size() > KeyTable.MOST) {
					synchronized (sizes) {
						sizes.add(this.table.size());
					}
				}
			}
		});
		assertThat(sizes).isEmpty();
		assertThat(this.table.values().values()).doesNotHaveDuplicates().hasSize(KeyTable.MOST);
		assertThat(this.made.get() - this.table.evicted()).isEqualTo(KeyTable.MOST);
	}

}
