package dev.backoff.time;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.fixture.SkippedTime;
import dev.backoff.time.RetryTime.Cancellable;
import dev.backoff.time.RetryTime.TimerEntry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The real timer, with lower bounds only, so that a slow machine changes nothing. */
class SystemTimerTests {

	private static final long HOUR = 3_600_000_000_000L;

	private static final long MILLI = 1_000_000L;

	private final SystemTimer timer = new SystemTimer(HOUR);

	@Nested
	class Default {

		/* What users wrote before there was a timer. */
		private final RetryTime time = new SkippedTime(() -> 0);

		@Test
		void runsATaskNotBeforeItsTime() throws InterruptedException {
			CountDownLatch done = new CountDownLatch(1);
			AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
			long start = System.nanoTime();
			this.time.schedule(() -> {
				thread.set(Thread.currentThread());
				done.countDown();
			}, 5 * MILLI);
			done.await();
			assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(5 * MILLI);
			assertThat(thread.get()).isNotNull().satisfies((timer) -> {
				assertThat(timer.isDaemon()).isTrue();
				assertThat(timer.getName()).isEqualTo("backoff-timer");
				assertThat(timer.getContextClassLoader()).isNull();
			});
		}

		@Test
		void keepsNothingOfWhatIsCancelled() {
			Cancellable scheduled = this.time.schedule(() -> {
			}, HOUR);
			assertThat(isPending(scheduled)).isTrue();
			scheduled.cancel();
			scheduled.cancel();
			assertThat(isPending(scheduled)).isFalse();
		}

		@Test
		void linksAnEntryItself() {
			Entry entry = new Entry(() -> {
			});
			assertThat(this.time.schedule(entry, HOUR)).isSameAs(entry);
			assertThat(isPending(entry)).isTrue();
			entry.cancel();
			assertThat(isPending(entry)).isFalse();
		}

		/* Of itself: other tests leave tasks in the timer of the process, which end. */
		private static boolean isPending(Cancellable entry) {
			return ((TimerEntry) entry).position != TimerEntry.NOWHERE;
		}

	}

	@Nested
	class Running {

		@Test
		void wakesForWhatIsDueBeforeTheRest() throws InterruptedException {
			CountDownLatch done = new CountDownLatch(1);
			add(() -> {
			}, HOUR);
			awaitParked();
			add(done::countDown, MILLI);
			done.await();
			assertThat(SystemTimerTests.this.timer.pending()).isEqualTo(1);
		}

		@Test
		void goesOnAfterATaskThatThrows() throws InterruptedException {
			CountDownLatch done = new CountDownLatch(3);
			List<Thread> threads = new ArrayList<>();
			for (Error error : List.of(new AssertionError("a task"), new StackOverflowError(),
					new OutOfMemoryError("not really"))) {
				add(() -> {
					threads.add(Thread.currentThread());
					done.countDown();
					throw error;
				}, 0);
			}
			done.await();
			CountDownLatch after = new CountDownLatch(1);
			add(() -> {
				threads.add(Thread.currentThread());
				after.countDown();
			}, MILLI);
			after.await();
			assertThat(threads).hasSize(4).containsOnly(threads.get(0));
		}

		@Test
		void leavesNoInterruptFlagBehind() throws InterruptedException {
			CountDownLatch done = new CountDownLatch(1);
			List<Boolean> flags = new ArrayList<>();
			add(() -> Thread.currentThread().interrupt(), 0);
			add(() -> {
				flags.add(Thread.currentThread().isInterrupted());
				done.countDown();
			}, MILLI);
			done.await();
			assertThat(flags).containsExactly(false);
		}

		@Test
		void takesAnyTimeToWait() throws InterruptedException {
			CountDownLatch done = new CountDownLatch(3);
			Entry never = add(done::countDown, Long.MAX_VALUE);
			for (long nanos : new long[] { 0, -1, Long.MIN_VALUE }) {
				add(done::countDown, nanos);
			}
			done.await();
			assertThat(SystemTimerTests.this.timer.pending()).isEqualTo(1);
			SystemTimerTests.this.timer.remove(never);
		}

		@Test
		void letsATaskScheduleItselfAgain() throws InterruptedException {
			CountDownLatch done = new CountDownLatch(3);
			AtomicReference<@Nullable Entry> again = new AtomicReference<>();
			Entry entry = new Entry(() -> {
				done.countDown();
				if (done.getCount() > 0) {
					SystemTimerTests.this.timer.add(Objects.requireNonNull(again.get()), MILLI);
				}
			});
			again.set(entry);
			SystemTimerTests.this.timer.add(entry, MILLI);
			done.await();
		}

		@Test
		void refusesAnEntryThatIsScheduled() {
			Entry entry = add(() -> {
			}, HOUR);
			assertThatIllegalStateException().isThrownBy(() -> SystemTimerTests.this.timer.add(entry, HOUR))
				.withMessage("an entry is scheduled already.");
			assertThat(SystemTimerTests.this.timer.pending()).isEqualTo(1);
		}

	}

	@Nested
	class Cancelling {

		@Test
		void takesTheTaskOutAtOnce() throws InterruptedException {
			CountDownLatch held = holdTheThread();
			AtomicInteger runs = new AtomicInteger();
			Entry cancelled = add(runs::incrementAndGet, MILLI);
			CountDownLatch done = new CountDownLatch(1);
			add(done::countDown, 2 * MILLI);
			SystemTimerTests.this.timer.remove(cancelled);
			SystemTimerTests.this.timer.remove(cancelled);
			assertThat(SystemTimerTests.this.timer.pending()).isEqualTo(1);
			held.countDown();
			done.await();
			assertThat(runs).hasValue(0);
		}

		/* So that nothing runs before its time has come here, too. */
		private CountDownLatch holdTheThread() throws InterruptedException {
			CountDownLatch holding = new CountDownLatch(1);
			CountDownLatch released = new CountDownLatch(1);
			add(() -> {
				holding.countDown();
				awaitUninterruptibly(released);
			}, 0);
			holding.await();
			return released;
		}

		private static void awaitUninterruptibly(CountDownLatch latch) {
			while (latch.getCount() > 0) {
				LockSupport.parkNanos(MILLI);
			}
		}

		@Test
		void keepsNothingOfTheTask() {
			Object argument = new Object();
			Reference<Object> kept = new WeakReference<>(argument);
			Entry entry = add(new Uses(argument), HOUR);
			SystemTimerTests.this.timer.remove(entry);
			entry = null;
			argument = null;
			while (kept.get() != null) {
				System.gc();
			}
			assertThat(SystemTimerTests.this.timer.pending()).isZero();
		}

	}

	@Nested
	class Idling {

		private final SystemTimer timer = new SystemTimer(MILLI);

		@Test
		void endsTheThreadAndABusyTimerStartsOneAgain() throws InterruptedException {
			assertThat(this.timer.thread()).isNull();
			Thread first = run();
			first.join();
			Thread second = run();
			assertThat(second).isNotSameAs(first);
			second.join();
			assertThat(this.timer.thread()).isNull();
		}

		@Test
		void keepsTheThreadWhileSomethingIsScheduled() throws InterruptedException {
			CountDownLatch done = new CountDownLatch(1);
			Entry last = new Entry(() -> {
			});
			this.timer.add(last, HOUR);
			Thread thread = this.timer.thread();
			this.timer.add(new Entry(done::countDown), 20 * MILLI);
			done.await();
			assertThat(this.timer.thread()).isNotNull().isSameAs(thread);
			this.timer.remove(last);
			Objects.requireNonNull(thread).join();
			assertThat(this.timer.thread()).isNull();
		}

		@Test
		void losesNoTaskThatComesWhenTheThreadEnds() throws InterruptedException {
			SystemTimer hasty = new SystemTimer(0);
			for (int i = 0; i < 2_000; i++) {
				CountDownLatch done = new CountDownLatch(1);
				hasty.add(new Entry(done::countDown), 0);
				done.await();
			}
			assertThat(hasty.pending()).isZero();
		}

		private Thread run() throws InterruptedException {
			AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
			CountDownLatch done = new CountDownLatch(1);
			this.timer.add(new Entry(() -> {
				thread.set(Thread.currentThread());
				done.countDown();
			}), 0);
			done.await();
			return Objects.requireNonNull(thread.get());
		}

	}

	private Entry add(Runnable task, long nanos) {
		Entry entry = new Entry(task);
		this.timer.add(entry, nanos);
		return entry;
	}

	@Test
	void keepsNoClassLoaderOfTheFirstApplicationWhileItIsBusy() throws Exception {
		Entry ours = new Entry(() -> {
		});
		Reference<ClassLoader> application = applicationThatRuns(() -> this.timer.add(ours, HOUR));
		for (int i = 0; i < 100 && application.get() != null; i++) {
			System.gc();
		}
		assertThat(application.get()).isNull();
		assertThat(this.timer.thread()).isNotNull();
		this.timer.remove(ours);
	}

	/* The class of the application is on the stack when the thread is made. */
	@SuppressWarnings("unchecked")
	private static Reference<ClassLoader> applicationThatRuns(Runnable work) throws Exception {
		ClassLoader loader = new ApplicationLoader();
		Class<?> application = Class.forName(Application.class.getName(), true, loader);
		assertThat(application.getClassLoader()).isSameAs(loader);
		((Consumer<Runnable>) application.getDeclaredConstructor().newInstance()).accept(work);
		return new WeakReference<>(loader);
	}

	private static final class ApplicationLoader extends ClassLoader {

		ApplicationLoader() {
			super(SystemTimerTests.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.equals(Application.class.getName())) {
				return super.loadClass(name, resolve);
			}
			try (InputStream code = Application.class.getResourceAsStream("SystemTimerTests$Application.class")) {
				byte[] bytes = Objects.requireNonNull(code).readAllBytes();
				return defineClass(name, bytes, 0, bytes.length);
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

	}

	/** Runs what it is given, in a class of its own loader. */
	public static final class Application implements Consumer<Runnable> {

		@Override
		public void accept(Runnable work) {
			work.run();
		}

	}

	private void awaitParked() {
		Thread thread = Objects.requireNonNull(this.timer.thread());
		while (thread.getState() != Thread.State.TIMED_WAITING) {
			Thread.onSpinWait();
		}
	}

	private static final class Entry extends TimerEntry {

		private final Runnable task;

		Entry(Runnable task) {
			this.task = task;
		}

		@Override
		public void run() {
			this.task.run();
		}

		@Override
		public String toString() {
			return "an entry";
		}

	}

	private record Uses(Object argument) implements Runnable {

		@Override
		public void run() {
		}

	}

}
