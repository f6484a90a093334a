package dev.backoff.spring.advice;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.micrometer.context.ContextRegistry;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/** Methods that return a stage, through their proxies. */
class AsyncMethodsTests {

	/* Another thread for each attempt, which is waited for. */
	private static final Executor OTHER_THREADS = (
			task) -> CompletableFuture.runAsync(task, (run) -> new Thread(run, "later").start()).join();

	private final ApplicationContextRunner runner = AdviceContexts.runner();

	private final ThreadLocal<String> user = new ThreadLocal<>();

	@BeforeEach
	void bindTheUser() {
		ContextRegistry.getInstance().registerThreadLocalAccessor("test.user", this.user);
	}

	@AfterEach
	void forgetTheUser() {
		this.user.remove();
		ContextRegistry.getInstance().removeThreadLocalAccessor("test.user");
	}

	private ApplicationContextRunner runner() {
		return this.runner.withBean("applicationTaskExecutor", Executor.class, () -> OTHER_THREADS);
	}

	@Nested
	class EachAttempt {

		@ParameterizedTest
		@EnumSource
		void isANewInvocationWithItsOwnTransaction(AdviceOrderTests.Kind kind) {
			kind.of(runner())
				.withUserConfiguration(AdviceOrderTests.Database.class)
				.withBean(Log.class)
				.withBean(Around.class)
				.withBean(OrderService.class)
				.run((context) -> {
					CompletionStage<String> placed = context.getBean(Orders.class).place("o-1", 3);
					assertThat(placed.toCompletableFuture()).isNotDone();
					context.getBean(VirtualTime.class).runAll();
					assertThat(placed.toCompletableFuture()).isCompletedWithValue("o-1 at attempt 3");
					assertThat(context.getBean(AdviceOrderTests.CountingTransactions.class).events)
						.filteredOn("begin"::equals)
						.hasSize(3);
					assertThat(context.getBean(Log.class).lines).containsExactly("main: around attempt 1",
							"main: transaction true", "later: around attempt 2", "later: transaction true",
							"later: around attempt 3", "later: transaction true");
				});
		}

		/* Both run on the thread that completes the attempt. */
		@Test
		void givesItsContextToRecoveriesAndListenersToo() {
			List<String> seen = new CopyOnWriteArrayList<>();
			runner().withBean(Parking.class)
				.withBean("seeing", RetryListener.class, () -> new SeeingListener(user, seen))
				.run((context) -> {
					List<CompletableFuture<String>> stages = new ArrayList<>();
					user.set("caller");
					CompletableFuture<String> result = context.getBean(Parking.class).call(() -> {
						stages.add(new CompletableFuture<>());
						return stages.get(stages.size() - 1);
					}, () -> {
						seen.add("recover " + user.get());
						stages.add(new CompletableFuture<>());
						return stages.get(stages.size() - 1);
					});
					user.remove();
					OTHER_THREADS.execute(() -> stages.get(0).completeExceptionally(new IOException("down")));
					context.getBean(VirtualTime.class).runNext();
					OTHER_THREADS.execute(() -> stages.get(1).completeExceptionally(new IOException("down")));
					OTHER_THREADS.execute(() -> stages.get(2).complete("parked"));
					assertThat(result).isCompletedWithValue("parked");
					assertThat(seen).containsExactly("onRetry caller", "recover caller", "onStop caller");
				});
		}

		@Test
		void runsOnTheExecutorOfTheApplication() {
			AsyncMethodsTests.this.runner.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
				.withBean(Plain.class)
				.run((context) -> {
					assertThat(context).hasSingleBean(Executor.class);
					CompletableFuture<String> result = context.getBean(Plain.class).send(2);
					context.getBean(VirtualTime.class).runNext();
					assertThat(result.join()).startsWith("attempt 2 on task-");
				});
		}

		@Test
		void runsWithoutAnyExecutorToo() {
			AsyncMethodsTests.this.runner.withBean(Plain.class).run((context) -> {
				assertThat(context).doesNotHaveBean(Executor.class);
				CompletableFuture<String> result = context.getBean(Plain.class).send(2);
				context.getBean(VirtualTime.class).runAll();
				assertThat(result.join()).startsWith("attempt 2 on ").doesNotContain("timer");
			});
		}

	}

	@Nested
	class AtStartUp {

		@Test
		void judgesRecoveriesAndConditionsByTheValueOfTheStage() {
			runner().withBean(Misfits.class)
				.run((context) -> assertThat(context).getFailure()
					.hasMessageContaining(
							"invalid recover (plain): does not fit Misfits.withoutAStage(String), because it "
									+ "is String plain(String)")
					.hasMessageContaining("Write CompletableFuture<String> plain(String)")
					.hasMessageContaining("invalid recover (number): does not fit Misfits.withAnotherValue(String)")
					.hasMessageContaining("judges a result, and Misfits.overNothing() returns none")
					.hasMessageContaining("uses stat, which Answer does not have"));
		}

		@Test
		void mindsNoLongWaits() {
			runner().withBean(Patient.class)
				.run((context) -> assertThat(context.getBean(BackoffMethods.class).uses()).singleElement()
					.satisfies((use) -> assertThat(use.advice()).noneMatch((advice) -> advice.contains("hold"))));
		}

	}

	/** Keeps what happened. */
	public static class Log {

		final List<String> lines = new ArrayList<>();

		void add(String line) {
			String thread = Thread.currentThread().getName();
			this.lines.add((thread.equals("later") ? thread : "main") + ": " + line);
		}

	}

	/** Advice that needs to know the invocation. */
	@Aspect
	public static class Around {

		private final Log log;

		public Around(Log log) {
			this.log = log;
		}

		@org.aspectj.lang.annotation.Around("execution(* dev.backoff.spring.advice.AsyncMethodsTests.Orders+.place(..))")
		public Object around(ProceedingJoinPoint joinPoint) throws Throwable {
			this.log.add("around attempt " + Attempt.current().number());
			return joinPoint.proceed();
		}

	}

	public interface Orders {

		CompletionStage<String> place(String name, int succeedAt);

	}

	public static class OrderService implements Orders {

		private final Log log;

		public OrderService(Log log) {
			this.log = log;
		}

		@Override
		@Backoff
		@Transactional
		public CompletionStage<String> place(String name, int succeedAt) {
			this.log.add("transaction " + TransactionSynchronizationManager.isActualTransactionActive());
			int attempt = Attempt.current().number();
			return (attempt < succeedAt) ? CompletableFuture.failedFuture(new IOException("attempt " + attempt))
					: CompletableFuture.completedFuture(name + " at attempt " + attempt);
		}

	}

	public static class Plain {

		@Backoff
		public CompletableFuture<String> send(int succeedAt) throws IOException {
			int attempt = Attempt.current().number();
			if (attempt < succeedAt) {
				throw new IOException("attempt " + attempt);
			}
			return CompletableFuture.completedFuture("attempt " + attempt + " on " + Thread.currentThread().getName());
		}

	}

	public record Answer(String state) {
	}

	public static class Misfits {

		@Backoff(recover = "plain")
		public CompletableFuture<String> withoutAStage(String order) {
			return CompletableFuture.completedFuture(order);
		}

		String plain(String order) {
			return order;
		}

		@Backoff(recover = "number")
		public CompletableFuture<String> withAnotherValue(String order) {
			return CompletableFuture.completedFuture(order);
		}

		CompletableFuture<Integer> number(String order) {
			return CompletableFuture.completedFuture(1);
		}

		@Backoff(retryWhen = "#result == null")
		public CompletableFuture<Void> overNothing() {
			return CompletableFuture.completedFuture(null);
		}

		@Backoff(until = "#result.stat == 'DONE'")
		public CompletableFuture<Answer> misspelt() {
			return CompletableFuture.completedFuture(new Answer("DONE"));
		}

	}

	public static class Patient {

		@Backoff(base = "1m", cap = "10m")
		public CompletableFuture<String> send() {
			return CompletableFuture.completedFuture("sent");
		}

	}

	/** Recovered by a stage. */
	static class Parking {

		@Backoff(maxAttempts = "2", recover = "park")
		CompletableFuture<String> call(Supplier<CompletableFuture<String>> work,
				Supplier<CompletableFuture<String>> recovery) {
			return work.get();
		}

		CompletableFuture<String> park(Supplier<CompletableFuture<String>> work,
				Supplier<CompletableFuture<String>> recovery) {
			return recovery.get();
		}

	}

	/** Note what is bound to the thread at each event. */
	private record SeeingListener(ThreadLocal<String> bound, List<String> seen) implements RetryListener {

		@Override
		public void onRetry(RetryEvent.Scheduled event) {
			this.seen.add("onRetry " + this.bound.get());
		}

		@Override
		public void onStop(RetryEvent.Stopped event) {
			this.seen.add("onStop " + this.bound.get());
		}

	}

}
