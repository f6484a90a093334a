package dev.backoff.spring.advice;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.interceptor.AsyncUncaughtExceptionHandler;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.task.TaskExecutor;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

import dev.backoff.Attempt;
import dev.backoff.CallRegistry;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Methods that the framework calls, on its threads: asynchronous ones, scheduled ones and
 * listeners. Waits of an hour are real and ended by the test, the others virtual.
 */
@ExtendWith(OutputCaptureExtension.class)
class ThreadsOfOthersTests {

	private final ApplicationContextRunner realTime = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, TaskExecutionAutoConfiguration.class,
				TaskSchedulingAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withUserConfiguration(Threads.class)
		.withBean(RecordingListener.class);

	private final ApplicationContextRunner runner = this.realTime.withBean(VirtualTime.class);

	private static void awaitWaiting(CallRegistry waiting) {
		while (waiting.waiting() == 0) {
			Thread.onSpinWait();
		}
	}

	private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
		T next = queue.poll(30, TimeUnit.SECONDS);
		assertThat(next).isNotNull();
		return next;
	}

	@Test
	void areThoseThatSpringBootMakes() {
		this.runner.withBean(Mails.class).run((context) -> {
			assertThat(context.getBeansOfType(TaskExecutor.class)).containsOnlyKeys("applicationTaskExecutor",
					"taskScheduler");
			assertThat(context.getBean("applicationTaskExecutor")).isExactlyInstanceOf(ThreadPoolTaskExecutor.class);
			assertThat(context.getBeansOfType(TaskScheduler.class)).containsOnlyKeys("taskScheduler");
			assertThat(context.getBean("taskScheduler")).isExactlyInstanceOf(ThreadPoolTaskScheduler.class);
		});
	}

	@Nested
	class AnAsyncMethod {

		@Test
		void isRetriedOnItsThread() {
			ThreadsOfOthersTests.this.runner.withBean(Mails.class).run((context) -> {
				Mails mails = context.getBean(Mails.class);
				mails.send(3);
				assertThat(next(mails.sent())).matches("sent at attempt 3 on task-\\d+");
				assertThat(mails.threads()).hasSize(3).allMatch((name) -> name.startsWith("task-"));
				assertThat(mails.threads().stream().distinct()).hasSize(1);
			});
		}

		@Test
		void failsWithItsStoryIfItsResultIsNotAwaited() {
			ThreadsOfOthersTests.this.runner.withBean(Mails.class).run((context) -> {
				context.getBean(Mails.class).send(9);
				Throwable failure = next(context.getBean(Uncaught.class).failures());
				assertThat(failure).isInstanceOf(IllegalStateException.class).hasMessage("attempt 4");
				assertThat(RetriesStoppedException.of(failure).reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			});
		}

		@Test
		void endsWhenTheApplicationCloses() {
			List<RecordingListener> listener = new CopyOnWriteArrayList<>();
			realTime.withPropertyValues(hours("Mails.send")).withBean(Mails.class).run((context) -> {
				listener.add(context.getBean(RecordingListener.class));
				context.getBean(Mails.class).send(9);
				awaitWaiting(context.getBean(CallRegistry.class));
				Uncaught uncaught = context.getBean(Uncaught.class);
				context.getSourceApplicationContext().close();
				assertThat(next(uncaught.failures())).hasMessage("attempt 1");
			});
			assertThat(listener.get(0).report().reason()).isEqualTo(StopReason.SHUTDOWN);
		}

	}

	@Nested
	class AScheduledMethod {

		@Test
		void isRetriedOnTheSchedulersThread() {
			ThreadsOfOthersTests.this.runner.withBean(Job.class).run((context) -> {
				Job job = context.getBean(Job.class);
				assertThat(next(job.runs())).matches("attempt 3 on scheduling-1");
				assertThat(context.getBean(VirtualTime.class).delays()).hasSize(2);
			});
		}

		@Test
		void endsWhenItsSchedulerIsShutDownNow() {
			realTime.withPropertyValues(hours("Job.run")).withBean(Job.class).run((context) -> {
				awaitWaiting(context.getBean(CallRegistry.class));
				ThreadPoolTaskScheduler scheduler = context.getBean(ThreadPoolTaskScheduler.class);
				assertThat(scheduler.getScheduledThreadPoolExecutor().shutdownNow()).isEmpty();
				assertThat(scheduler.getScheduledThreadPoolExecutor().awaitTermination(30, TimeUnit.SECONDS)).isTrue();
				assertThat(context.getBean(RecordingListener.class).report().reason())
					.isEqualTo(StopReason.INTERRUPTED);
				assertThat(context.getBean(Job.class).attempts()).containsExactly(1);
			});
		}

	}

	@Nested
	class AListener {

		private final ApplicationContextRunner runner = ThreadsOfOthersTests.this.runner
			.withConfiguration(AutoConfigurations.of(BackoffObservationAutoConfiguration.class))
			.withUserConfiguration(AdviceOrderTests.Database.class)
			.withBean(Listener.class);

		@Test
		void isRetriedBeforeThePublisherGoesOn() {
			this.runner.run((context) -> {
				context.publishEvent(new Paid(3));
				assertThat(context.getBean(Listener.class).seen()).containsExactly("paid 1", "paid 2", "paid 3");
			});
		}

		@Test
		void afterACommitHoldsTheConnectionWhileItIsRetried(CapturedOutput output) {
			this.runner.run((context) -> {
				new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
					.executeWithoutResult((status) -> context.publishEvent(new Shipped(2)));
				assertThat(context.getBean(AdviceOrderTests.CountingTransactions.class).events).containsExactly("begin",
						"commit");
				assertThat(context.getBean(Listener.class).seen()).containsExactly("shipped 1", "shipped 2");
			});
			assertThat(output).contains("Retrying Listener.on inside a transaction of its caller");
		}

	}

	@Test
	void anInterruptedCallerStopsWaitingWithTheLastFailureAndTheFlag() throws InterruptedException {
		BlockingQueue<Boolean> flags = new LinkedBlockingQueue<>();
		BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
		this.realTime.withPropertyValues(hours("Mails.fetch")).withBean(Mails.class).run((context) -> {
			Mails mails = context.getBean(Mails.class);
			Thread caller = new Thread(() -> {
				thrown.add(catchThrowable(() -> mails.fetch(false)));
				flags.add(Thread.currentThread().isInterrupted());
			});
			caller.start();
			awaitWaiting(context.getBean(CallRegistry.class));
			caller.interrupt();
			Throwable failure = next(thrown);
			assertThat(failure).isInstanceOf(IOException.class).hasMessage("no mail");
			RetriesStoppedException report = RetriesStoppedException.of(failure);
			assertThat(report.reason()).isEqualTo(StopReason.INTERRUPTED);
			assertThat(report.getCause()).isInstanceOf(InterruptedException.class);
			assertThat(next(flags)).isTrue();
			assertThat(mails.fetches()).isEqualTo(1);
		});
	}

	private static String[] hours(String method) {
		String prefix = "backoff.policies.[" + method + "].";
		return new String[] { prefix + "base=1h", prefix + "cap=1h", prefix + "jitter=equal" };
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@EnableScheduling
	static class Threads {

		@Bean
		Uncaught uncaught() {
			return new Uncaught();
		}

		@Bean
		AsyncConfigurer asyncConfigurer(Uncaught uncaught) {
			return new AsyncConfigurer() {

				@Override
				public AsyncUncaughtExceptionHandler getAsyncUncaughtExceptionHandler() {
					return (failure, method, arguments) -> uncaught.failures().add(failure);
				}

			};
		}

	}

	record Uncaught(BlockingQueue<Throwable> failures) {

		Uncaught() {
			this(new LinkedBlockingQueue<>());
		}

	}

	static class Mails {

		private final BlockingQueue<String> sent = new LinkedBlockingQueue<>();

		private final List<String> threads = new CopyOnWriteArrayList<>();

		private final AtomicInteger fetches = new AtomicInteger();

		@Async
		@Backoff
		void send(int succeedAt) {
			int attempt = Attempt.current().number();
			this.threads.add(Thread.currentThread().getName());
			if (attempt < succeedAt) {
				throw new IllegalStateException("attempt " + attempt);
			}
			this.sent.add("sent at attempt " + attempt + " on " + Thread.currentThread().getName());
		}

		@Backoff
		void fetch(boolean interrupted) throws IOException, InterruptedException {
			this.fetches.incrementAndGet();
			if (interrupted) {
				throw new InterruptedException("hurry");
			}
			throw new IOException("no mail");
		}

		BlockingQueue<String> sent() {
			return this.sent;
		}

		List<String> threads() {
			return this.threads;
		}

		int fetches() {
			return this.fetches.get();
		}

	}

	static class Job {

		private final BlockingQueue<String> runs = new LinkedBlockingQueue<>();

		private final List<Integer> attempts = new CopyOnWriteArrayList<>();

		@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS)
		@Backoff
		void run() {
			int attempt = Attempt.current().number();
			this.attempts.add(attempt);
			if (attempt < 3) {
				throw new IllegalStateException("attempt " + attempt);
			}
			this.runs.add("attempt " + attempt + " on " + Thread.currentThread().getName());
		}

		BlockingQueue<String> runs() {
			return this.runs;
		}

		List<Integer> attempts() {
			return this.attempts;
		}

	}

	record Paid(int succeedAt) {
	}

	record Shipped(int succeedAt) {
	}

	static class Listener {

		private final List<String> seen = new CopyOnWriteArrayList<>();

		@EventListener
		@Backoff
		void on(Paid event) {
			handle("paid ", event.succeedAt());
		}

		@TransactionalEventListener
		@Backoff
		void on(Shipped event) {
			handle("shipped ", event.succeedAt());
		}

		private void handle(String what, int succeedAt) {
			int attempt = Attempt.current().number();
			this.seen.add(what + attempt);
			if (attempt < succeedAt) {
				throw new IllegalStateException("attempt " + attempt);
			}
		}

		List<String> seen() {
			return this.seen;
		}

	}

}
