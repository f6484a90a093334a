package dev.backoff.time;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** A timer that is used where there is hardly any stack left. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SystemTimerAttackTests {

	private static final long MINUTE = 60_000_000_000L;

	/* What one takes depends on how much of it is compiled already: up to 10 ms, here. */
	private static final int OVERFLOWS = 400;

	private final SystemTimer timer = new SystemTimer(1_000_000L);

	@Test
	void keepsItsOrderWhereTheStackOverflows() throws Exception {
		List<TimerEntry> others = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			TimerEntry other = entry(() -> {
			});
			others.add(other);
			this.timer.add(other, 10 * MINUTE - i);
		}
		FutureTask<Integer> overflows = new FutureTask<>(this::overflows);
		Thread thread = new Thread(null, overflows, "overflowing", 256 * 1024);
		thread.setDaemon(true);
		thread.start();
		assertThat(overflows.get(2, TimeUnit.MINUTES)).isEqualTo(OVERFLOWS);
		others.forEach(this.timer::remove);
		CountDownLatch ran = new CountDownLatch(1);
		this.timer.add(entry(ran::countDown), 0);
		assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
	}

	private int overflows() {
		int count = 0;
		for (int i = 0; i < OVERFLOWS; i++) {
			try {
				count += descend(0);
			}
			catch (StackOverflowError ex) {
				count++;
			}
		}
		return count;
	}

	private int descend(int depth) {
		if (depth == Integer.MAX_VALUE) {
			return depth;
		}
		TimerEntry entry = entry(() -> {
		});
		this.timer.add(entry, 5 * MINUTE + (depth * 7_919L) % 1_000);
		try {
			return descend(depth + 1);
		}
		finally {
			this.timer.remove(entry);
		}
	}

	private static TimerEntry entry(Runnable task) {
		return new TimerEntry() {

			@Override
			public void run() {
				task.run();
			}

		};
	}

}
