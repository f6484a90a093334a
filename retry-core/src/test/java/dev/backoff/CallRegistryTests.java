package dev.backoff;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;

class CallRegistryTests {

	private final CallRegistry waiting = new CallRegistry();

	@Test
	void countsThoseThatWait() {
		List<Counted> waiters = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			Counted waiter = new Counted();
			waiters.add(waiter);
			this.waiting.enter(waiter);
		}
		assertThat(this.waiting.waiting()).isEqualTo(5);
		assertThat(this.waiting).hasToString("CallRegistry (5 waiting, 0 running)");
		for (int i : new int[] { 0, 4, 2, 2, 1, 3 }) {
			this.waiting.leave(waiters.get(i));
		}
		assertThat(this.waiting.waiting()).isZero();
		this.waiting.shutDown();
		assertThat(waiters).allSatisfy((waiter) -> assertThat(waiter.woken).hasValue(0));
		assertThat(this.waiting).hasToString("CallRegistry (0 waiting, 0 running, shut down)");
	}

	@Test
	void wakesAllAtTheShutdownAndWhoComesAfterItAtOnce() {
		List<Counted> waiters = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			Counted waiter = new Counted();
			waiters.add(waiter);
			this.waiting.enter(waiter);
		}
		this.waiting.shutDown();
		assertThat(waiters).allSatisfy((waiter) -> assertThat(waiter.woken).hasValue(1));
		Counted late = new Counted();
		this.waiting.enter(late);
		assertThat(late.woken).hasValue(1);
		this.waiting.leave(late);
		assertThat(this.waiting.waiting()).isEqualTo(100);
	}

	@Test
	void wakesOutsideItsLock() throws InterruptedException {
		CountDownLatch left = new CountDownLatch(1);
		Counted other = new Counted();
		Counted waiter = new Counted() {

			@Override
			void shutDown() {
				super.shutDown();
				CallRegistryTests.this.waiting.leave(this);
				Thread thread = new Thread(() -> {
					CallRegistryTests.this.waiting.leave(other);
					left.countDown();
				});
				thread.start();
				try {
					left.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}

		};
		this.waiting.enter(waiter);
		this.waiting.enter(other);
		this.waiting.shutDown();
		assertThat(left.getCount()).isZero();
		assertThat(this.waiting.waiting()).isZero();
	}

	@Test
	void letsCallsWaitAgainOnceItIsReopened() {
		this.waiting.shutDown();
		this.waiting.shutDown();
		assertThat(this.waiting.isShutDown()).isTrue();
		this.waiting.reopen();
		Counted waiter = new Counted();
		this.waiting.enter(waiter);
		assertThat(waiter.woken).hasValue(0);
	}

	@Test
	void holdsASleeperOnlyWhileItSleeps() throws InterruptedException {
		VirtualTime time = new VirtualTime().whileSleeping((nanos) -> assertThat(this.waiting.waiting()).isEqualTo(1));
		CallState call = new CallState(null);
		call.begin(new CallSettings(RetryPolicy.builder("orders").build(), "OrderService.place", time, () -> null, null,
				null, null, null), time.nanoTime());
		this.waiting.await(call, 5);
		assertThat(time.delays()).hasSize(1);
		assertThat(this.waiting.waiting()).isZero();
	}

	private static class Counted extends CallRegistry.Waiter {

		private final AtomicInteger woken = new AtomicInteger();

		private final CallState call = new CallState(null);

		@Override
		CallState call() {
			return this.call;
		}

		@Override
		public void run() {
			shutDown();
		}

		@Override
		void shutDown() {
			this.woken.incrementAndGet();
		}

	}

}
