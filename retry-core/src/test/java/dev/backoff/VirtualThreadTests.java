package dev.backoff;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import dev.backoff.delay.Jitter;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Blocking calls on virtual threads, in real time until all of them sleep. */
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with JDK 21")
class VirtualThreadTests {

	private static final int CALLS = 10_000;

	private final CallRegistry waiting = new CallRegistry();

	private final Retry retry = Retry
		.builder(RetryPolicy.builder("orders")
			.retryOn(IllegalStateException.class)
			.base(Duration.ofHours(1))
			.cap(Duration.ofHours(1))
			.jitter(Jitter.equal())
			.build())
		.calls(this.waiting)
		.build();

	@Test
	void sleepByTheThousandAndAllEndAtTheShutdown() throws Exception {
		ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
		AtomicInteger stillRunning = new AtomicInteger();
		int before = Thread.getAllStackTraces().size();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < CALLS; i++) {
			threads.add(start(() -> {
				thrown.add(catchThrowable(() -> this.retry.call(() -> {
					throw new IllegalStateException("down");
				})));
				if (CallStack.ofThread().running() != null) {
					stillRunning.incrementAndGet();
				}
			}));
		}
		while (this.waiting.waiting() < CALLS) {
			Thread.onSpinWait();
		}
		// a few carriers and no more, or sleepers would pin them
		assertThat(Thread.getAllStackTraces().size() - before).isLessThan(100);
		this.waiting.shutDown();
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(thrown).hasSize(CALLS)
			.allSatisfy((failure) -> assertThat(RetriesStoppedException.of(failure).reason())
				.isEqualTo(StopReason.SHUTDOWN));
		assertThat(stillRunning).hasValue(0);
		assertThat(this.waiting.waiting()).isZero();
	}

	@Test
	void makeNoMoreAttemptsAtOnceThanThereArePermits() throws Exception {
		Retry throttled = Retry.builder(RetryPolicy.builder("orders").concurrency(20).maxWaiting(CALLS).build())
			.build();
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		AtomicInteger done = new AtomicInteger();
		CountDownLatch all = new CountDownLatch(20);
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < CALLS; i++) {
			threads.add(start(() -> throttled.run(() -> {
				most.accumulateAndGet(running.incrementAndGet(), Math::max);
				all.countDown();
				await(all);
				running.decrementAndGet();
				done.incrementAndGet();
			})));
		}
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(done).hasValue(CALLS);
		assertThat(most).hasValue(20);
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	/* By reflection, since this is compiled for JDK 17. */
	private static Thread start(Runnable work) throws ReflectiveOperationException {
		Method starting = Thread.class.getMethod("startVirtualThread", Runnable.class);
		return (Thread) starting.invoke(null, work);
	}

}
