package dev.backoff.spring.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import dev.backoff.CallRegistry;
import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** What closing an application does to calls that would wait for an hour of real time. */
class ShutdownTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withPropertyValues("backoff.defaults.budget=none")
		.withBean(Patient.class);

	@Test
	void ofAChildLeavesTheParentAlone() {
		this.runner.run((context) -> {
			AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
			child.setParent(context);
			child.refresh();
			child.close();
			assertThat(context.getBean(CallRegistry.class).isShutDown()).isFalse();
		});
	}

	@Test
	void makesRoomForAnother() {
		this.runner.run((context) -> context.getSourceApplicationContext().close());
		this.runner.run((context) -> {
			CompletableFuture<Void> call = waiting(context.getBean(Patient.class), context.getBean(CallRegistry.class));
			assertThat(call).isNotDone();
			context.getBean(CallRegistry.class).shutDown();
			assertThatThrownBy(() -> call.get(30, TimeUnit.SECONDS)).hasRootCauseMessage("attempt");
		});
	}

	@Test
	void endsAThousandCallsThatSleep() {
		int callers = 1_000;
		List<Thread> threads = new ArrayList<>();
		ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
		this.runner.run((context) -> {
			Patient bean = context.getBean(Patient.class);
			for (int i = 0; i < callers; i++) {
				Thread thread = new Thread(() -> thrown.add(catchThrowable(bean::call)));
				threads.add(thread);
				thread.start();
			}
			awaitCount(callers, context.getBean(CallRegistry.class));
		});
		for (Thread thread : threads) {
			join(thread);
		}
		assertThat(thrown).hasSize(callers).allSatisfy(ShutdownTests::endedByShutdown);
	}

	@Test
	void endsTenThousandCallsThatHoldNoThread() {
		int calls = 10_000;
		List<CompletableFuture<String>> results = new ArrayList<>();
		this.runner.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class)).run((context) -> {
			Patient bean = context.getBean(Patient.class);
			for (int i = 0; i < calls; i++) {
				results.add(bean.callLater());
			}
			assertThat(context.getBean(CallRegistry.class).waiting()).isEqualTo(calls);
			assertThat(results).noneMatch(CompletableFuture::isDone);
		});
		assertThat(results).hasSize(calls)
			.allSatisfy((result) -> assertThat(result).isDone())
			.allSatisfy((result) -> endedByShutdown(result.handle((value, failure) -> failure).join()));
	}

	@Test
	void lastsAsLongAsTheSlowestRecoveryAndNotAllTogether() {
		List<CompletableFuture<String>> results = new ArrayList<>();
		this.runner.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class)).run((context) -> {
			// so that there is an executor
			context.getBean("applicationTaskExecutor");
			Patient bean = context.getBean(Patient.class);
			for (int i = 0; i < 4; i++) {
				results.add(bean.callAndMeet());
			}
		});
		assertThat(results).allSatisfy((result) -> assertThat(result).isCompletedWithValue("all are here"));
	}

	@Test
	void leavesNoThread() {
		for (int i = 0; i < 10; i++) {
			this.runner.withPropertyValues("backoff.shutdown.wait=10s").run((context) -> {
				CompletableFuture<String> call = context.getBean(Patient.class).callLater();
				assertThat(call).isNotDone();
				context.getSourceApplicationContext().close();
				assertThat(call).isDone();
			});
		}
		Awaitility.await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> assertThat(libraryThreads()).isEmpty());
	}

	private static List<String> libraryThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.contains("backoff"))
			.toList();
	}

	private static void endedByShutdown(Throwable failure) {
		assertThat(failure).isInstanceOf(IllegalStateException.class).hasMessage("attempt");
		RetriesStoppedException report = RetriesStoppedException.of(failure);
		assertThat(report).isNotNull();
		assertThat(report.reason()).isEqualTo(StopReason.SHUTDOWN);
		assertThat(report.attempts()).isEqualTo(1);
	}

	private static void join(Thread thread) {
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static CompletableFuture<Void> waiting(Patient bean, CallRegistry waiting) {
		CompletableFuture<Void> call = CompletableFuture.runAsync(bean::call);
		awaitCount(1, waiting);
		return call;
	}

	private static void awaitCount(int calls, CallRegistry waiting) {
		while (waiting.waiting() < calls) {
			Thread.onSpinWait();
		}
	}

	static class Patient {

		private final CyclicBarrier meeting = new CyclicBarrier(4);

		@Backoff(base = "1h", cap = "1h", jitter = "equal")
		void call() {
			throw new IllegalStateException("attempt");
		}

		@Backoff(base = "1h", cap = "1h", jitter = "equal")
		CompletableFuture<String> callLater() {
			return CompletableFuture.failedFuture(new IllegalStateException("attempt"));
		}

		@Backoff(base = "1h", cap = "1h", jitter = "equal", recover = "meet")
		CompletableFuture<String> callAndMeet() {
			return CompletableFuture.failedFuture(new IllegalStateException("attempt"));
		}

		CompletableFuture<String> meet() throws Exception {
			this.meeting.await(30, TimeUnit.SECONDS);
			return CompletableFuture.completedFuture("all are here");
		}

	}

}
