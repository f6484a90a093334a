package dev.backoff;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import dev.backoff.delay.Jitter;
import dev.backoff.fixture.Memory;
import dev.backoff.fixture.SkippedTime;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a thread keeps of its calls. */
class CallStackTests {

	/* What a level takes depends on how much of it is compiled already. */
	private static final long DEEP_STACK = 64 << 20;

	private final Retry retry = Retry.builder(policy().build()).time(new VirtualTime()).build();

	@Test
	void aThousandLevelsOfNestingCountRight() throws Exception {
		onAThread(DEEP_STACK, () -> {
			Set<String> keys = new HashSet<>();
			assertThat(descend(keys, 1_000)).isEqualTo(1_000);
			assertThat(Attempt.isRunning()).isFalse();
			assertThat(keys).hasSize(1_000);
		});
	}

	private static void onAThread(long stack, ThrowingCallable work) throws Exception {
		FutureTask<Void> task = new FutureTask<>(() -> {
			assertThatNoException().isThrownBy(work);
			return null;
		});
		new Thread(null, task, "deep", stack).start();
		task.get(2, TimeUnit.MINUTES);
	}

	@Test
	void theTimeOfAnApplicationThatEndedIsNotKept() {
		WeakReference<RetryTime> time = callInTimeOfItsOwn();
		assertCollected(time);
	}

	@Test
	void theFailuresOfAnApplicationThatEndedAreNotKept() {
		WeakReference<Throwable> failure = callThatFails();
		assertCollected(failure);
	}

	@Test
	void aThreadThatOutlivesItsApplicationDoesNotKeepItsClasses() throws Exception {
		ExecutorService pool = Executors.newSingleThreadExecutor();
		try {
			WeakReference<ClassLoader> loader = callInClassLoaderOfItsOwn(pool);
			assertCollected(loader);
		}
		finally {
			pool.shutdownNow();
		}
	}

	@Test
	void manyFailingCallsKeepTheHeapFlat() {
		Retry failing = Retry.builder(policy().build()).time(new SkippedTime(System::nanoTime)).build();
		IOException shared = new IOException("shared");
		fail(failing, shared, 20_000);
		long before = Memory.used();
		// as flat with a million
		fail(failing, shared, 80_000);
		// 50 bytes of a call
		assertThat(Memory.used() - before).isLessThan(4_000_000);
	}

	private int descend(Set<String> keys, int levels) throws Exception {
		if (levels == 0) {
			return 0;
		}
		return this.retry.call(() -> {
			assertThat(Attempt.current().number()).isEqualTo(1);
			keys.add(Attempt.current().idempotencyKey());
			return 1 + descend(keys, levels - 1);
		});
	}

	private static WeakReference<RetryTime> callInTimeOfItsOwn() {
		RetryTime time = new SkippedTime(System::nanoTime);
		Retry.builder(policy().build()).time(time).build().call(() -> "done");
		return new WeakReference<>(time);
	}

	private static WeakReference<Throwable> callThatFails() {
		IOException failure = new IOException("down");
		assertThatThrownBy(
				() -> Retry.builder(policy().build()).time(new SkippedTime(System::nanoTime)).build().call(() -> {
					Attempt.current().idempotencyKey();
					throw failure;
				}))
			.isSameAs(failure);
		return new WeakReference<>(failure);
	}

	@SuppressWarnings("BanClassLoader") // our own classes, once more
	private static WeakReference<ClassLoader> callInClassLoaderOfItsOwn(ExecutorService pool) throws Exception {
		URL main = Retry.class.getProtectionDomain().getCodeSource().getLocation();
		URL tests = Caller.class.getProtectionDomain().getCodeSource().getLocation();
		try (URLClassLoader loader = new URLClassLoader(new URL[] { main, tests },
				ClassLoader.getPlatformClassLoader())) {
			Callable<?> caller = (Callable<?>) loader.loadClass(Caller.class.getName())
				.getDeclaredConstructor()
				.newInstance();
			assertThat(caller.getClass().getClassLoader()).isSameAs(loader);
			assertThat(pool.submit(caller).get(60, TimeUnit.SECONDS)).isEqualTo("done");
			return new WeakReference<>(loader);
		}
	}

	private static void assertCollected(WeakReference<?> reference) {
		for (int i = 0; i < 1_000 && reference.get() != null; i++) {
			System.gc();
		}
		assertThat(reference.get()).isNull();
	}

	private static void fail(Retry retry, IOException failure, int times) {
		for (int i = 0; i < times; i++) {
			try {
				retry.call(() -> {
					Attempt.current();
					throw failure;
				});
			}
			catch (IOException ex) {
				// that is what it does
			}
		}
	}

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("attack")
			.maxAttempts(3)
			.base(Duration.ofMillis(1))
			.cap(Duration.ofMillis(1))
			.jitter(Jitter.none());
	}

	/** Calls once; made in a class loader of its own. */
	public static final class Caller implements Callable<String> {

		@Override
		public String call() {
			return Retry.builder(RetryPolicy.builder("attack").build()).build().call(() -> "done");
		}

	}

}
