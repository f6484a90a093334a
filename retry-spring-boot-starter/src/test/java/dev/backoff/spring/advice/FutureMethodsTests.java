package dev.backoff.spring.advice;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Methods that return a plain Future, and those that Spring makes asynchronous. */
class FutureMethodsTests {

	private final IOException failure = new IOException("down");

	@Nested
	class APlainFuture {

		private final Queue<Runnable> waiting = new ArrayDeque<>();

		private final ApplicationContextRunner runner = AdviceContexts.runner()
			.withBean("applicationTaskExecutor", Executor.class, () -> this.waiting::add)
			.withBean(Orders.class);

		@Test
		void isAskedAtOnceIfItHasEnded() {
			this.runner.run((context) -> {
				Future<String> placed = context.getBean(Orders.class).place(() -> ended(() -> "placed"));
				assertThat(placed).isInstanceOf(CompletableFuture.class).isDone();
				assertThat(placed.get()).isEqualTo("placed");
				assertThat(this.waiting).isEmpty();
			});
		}

		@Test
		void isTakenAsAStageIfItIsOne() {
			this.runner.run((context) -> {
				CompletableFuture<String> stage = new CompletableFuture<>();
				Future<String> placed = context.getBean(Orders.class).place(() -> stage);
				assertThat(this.waiting).isEmpty();
				stage.complete("placed");
				assertThat(placed.get()).isEqualTo("placed");
			});
		}

		@Test
		void isWaitedForOnAThreadOfTheApplication() {
			this.runner.run((context) -> {
				List<FutureTask<String>> tasks = new ArrayList<>();
				Future<String> placed = context.getBean(Orders.class).place(() -> {
					int attempt = Attempt.current().number();
					tasks.add(new FutureTask<>(() -> {
						if (attempt < 3) {
							throw FutureMethodsTests.this.failure;
						}
						return "attempt " + attempt;
					}));
					return tasks.get(tasks.size() - 1);
				});
				VirtualTime time = context.getBean(VirtualTime.class);
				while (!placed.isDone()) {
					assertThat(placed).isNotDone();
					tasks.get(tasks.size() - 1).run();
					while (!this.waiting.isEmpty() || time.runNext()) {
						Runnable next = this.waiting.poll();
						if (next != null) {
							next.run();
						}
						if (!this.waiting.isEmpty() && !tasks.get(tasks.size() - 1).isDone()) {
							break;
						}
					}
				}
				assertThat(placed.get()).isEqualTo("attempt 3");
			});
		}

		@Test
		void isCancelledWithTheCall() {
			this.runner.run((context) -> {
				FutureTask<String> task = new FutureTask<>(() -> "never");
				Future<String> placed = context.getBean(Orders.class).place(() -> task);
				assertThat(placed.cancel(true)).isTrue();
				assertThat(task).isCancelled();
				assertThat(context.getBean(RecordingListener.class).report().reason()).isEqualTo(StopReason.CANCELLED);
			});
		}

		@Test
		void isRecoveredByAnotherOrByAStage() {
			this.runner.run((context) -> {
				Future<String> placed = context.getBean(Orders.class).recovered(() -> ended(() -> {
					throw FutureMethodsTests.this.failure;
				}));
				assertThat(placed.get()).isEqualTo("parked");
			});
		}

		@ParameterizedTest
		@ValueSource(
				classes = { RejectedExecutionException.class, IllegalStateException.class, OutOfMemoryError.class })
		void isWaitedForElsewhereIfTheApplicationRefuses(Class<? extends Throwable> refusal) {
			AdviceContexts.runner().withBean("applicationTaskExecutor", Executor.class, () -> (task) -> {
				throw FutureMethodsTests.<RuntimeException>made(refusal);
			}).withBean(Orders.class).run((context) -> {
				FutureTask<String> task = new FutureTask<>(() -> "placed");
				Future<String> placed = context.getBean(Orders.class).place(() -> task);
				task.run();
				assertThat(placed.get(30, TimeUnit.SECONDS)).isEqualTo("placed");
			});
		}

		@Test
		void failsClearlyIfItIsNone() {
			this.runner.run(
					(context) -> assertThat(catchThrowable(() -> context.getBean(Orders.class).place(() -> null).get()))
						.hasRootCauseMessage("Orders.place returned null instead of a Future"));
		}

		@Test
		void isAwaitedElsewhereIfTheOnlyThreadWaitsForIt() {
			AdviceContexts.runner()
				.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
				.withPropertyValues("spring.task.execution.pool.core-size=1")
				.withBean(Orders.class)
				.run((context) -> {
					FutureTask<String> work = new FutureTask<>(() -> "placed");
					CountDownLatch begun = new CountDownLatch(1);
					FutureTask<String> job = new FutureTask<>(() -> {
						Future<String> placed = context.getBean(Orders.class).place(() -> work);
						begun.countDown();
						return placed.get();
					});
					context.getBean(Executor.class).execute(job);
					begun.await();
					work.run();
					assertThat(job.get(30, TimeUnit.SECONDS)).isEqualTo("placed");
				});
		}

		private static Future<String> ended(Callable<String> work) {
			FutureTask<String> task = new FutureTask<>(work);
			task.run();
			return task;
		}

	}

	@Nested
	class AnAsyncMethod {

		private final ApplicationContextRunner runner = AdviceContexts.runner()
			.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
			.withUserConfiguration(Asynchronous.class)
			.withBean(Mails.class);

		@Test
		void isRetriedInside() {
			this.runner.run((context) -> {
				Mails mails = context.getBean(Mails.class);
				CountDownLatch begin = new CountDownLatch(1);
				Future<String> later = mails.sendLater(begin, 3, FutureMethodsTests.this.failure);
				CompletableFuture<String> stage = mails.send(begin, 3, FutureMethodsTests.this.failure);
				assertThat(later).isNotDone();
				assertThat(stage).isNotDone();
				begin.countDown();
				letTimePass(context.getBean(VirtualTime.class), later, stage);
				assertThat(later.get()).startsWith("attempt 3 on ");
				assertThat(stage.join()).startsWith("attempt 3 on ");
			});
		}

		@Test
		void endsWithTheExceptionItself() {
			this.runner.run((context) -> {
				Mails mails = context.getBean(Mails.class);
				IOException other = new IOException("down, too");
				CountDownLatch begin = new CountDownLatch(0);
				Future<String> later = mails.sendLater(begin, 9, FutureMethodsTests.this.failure);
				CompletableFuture<String> stage = mails.send(begin, 9, other);
				letTimePass(context.getBean(VirtualTime.class), later, stage);
				assertThat(catchThrowable(later::get)).hasCause(FutureMethodsTests.this.failure);
				// Spring wraps it, whatever the method is annotated with besides
				assertThat(stage.handle((value, thrown) -> thrown).join()).hasCause(other);
				assertThat(RetriesStoppedException.of(other).attempts()).isEqualTo(4);
			});
		}

		private static void letTimePass(VirtualTime time, Future<?>... futures) {
			Awaitility.await().atMost(30, TimeUnit.SECONDS).pollDelay(0, TimeUnit.MILLISECONDS).until(() -> {
				time.runAll();
				return Arrays.stream(futures).allMatch(Future::isDone);
			});
		}

	}

	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" }) // thrown as it is
	private static <X extends Throwable> X made(Class<? extends Throwable> type) throws X {
		throw (X) BeanUtils.instantiateClass(type);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Asynchronous {

	}

	public static class Orders {

		@Backoff
		public Future<String> place(Callable<Future<String>> attempt) throws Exception {
			return attempt.call();
		}

		@Backoff(maxAttempts = "1")
		public Future<String> placeOnce(Callable<Future<String>> attempt) throws Exception {
			return attempt.call();
		}

		@Backoff(maxAttempts = "1", recover = "park")
		public Future<String> recovered(Callable<Future<String>> attempt) throws Exception {
			return attempt.call();
		}

		CompletableFuture<String> park(Callable<Future<String>> attempt) {
			return CompletableFuture.completedFuture("parked");
		}

	}

	public static class Mails {

		@Async
		@Backoff
		public Future<String> sendLater(CountDownLatch begin, int succeedAt, IOException failure) throws Exception {
			return send(begin, succeedAt, failure);
		}

		@Async
		@Backoff
		public CompletableFuture<String> send(CountDownLatch begin, int succeedAt, IOException failure)
				throws Exception {
			begin.await();
			int attempt = Attempt.current().number();
			return (attempt < succeedAt) ? CompletableFuture.failedFuture(failure) : CompletableFuture
				.completedFuture("attempt " + attempt + " on " + Thread.currentThread().getName());
		}

	}

}
