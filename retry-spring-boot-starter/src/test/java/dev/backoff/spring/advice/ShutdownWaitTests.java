package dev.backoff.spring.advice;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

import dev.backoff.CallRegistry;
import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** The time that running calls get when an application closes, which is real. */
@ExtendWith(OutputCaptureExtension.class)
class ShutdownWaitTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withBean(Log.class)
		.withBean(Work.class)
		.withBean(Phases.class);

	@Test
	void letsARunningCallFinishBeforeOtherPartsStop(CapturedOutput output) {
		CopyOnWriteArrayList<String> lines = new CopyOnWriteArrayList<>();
		this.runner.withPropertyValues("backoff.shutdown.wait=25s").run((context) -> {
			Log log = context.getBean(Log.class);
			CompletableFuture<Void> call = begun(context.getBean(Work.class));
			assertThat(context.getBean(CallRegistry.class).running()).isEqualTo(1);
			close(context);
			call.get(30, TimeUnit.SECONDS);
			lines.addAll(log.lines);
		});
		assertThat(lines).containsExactly("web servers drain", "call ends", "other parts stop", "beans are destroyed");
		assertThat(output).doesNotContain("still running");
	}

	@Test
	void countsTheRecoveryOfACallThatWaited() {
		CopyOnWriteArrayList<String> lines = new CopyOnWriteArrayList<>();
		this.runner.withPropertyValues("backoff.shutdown.wait=25s").run((context) -> {
			Log log = context.getBean(Log.class);
			CompletableFuture<Void> call = new CompletableFuture<>();
			start(context.getBean(Work.class)::sleep, call);
			CallRegistry waiting = context.getBean(CallRegistry.class);
			while (waiting.waiting() == 0) {
				Thread.onSpinWait();
			}
			close(context);
			call.get(30, TimeUnit.SECONDS);
			lines.addAll(log.lines);
		});
		assertThat(lines).containsExactly("web servers drain", "recovery ends", "other parts stop",
				"beans are destroyed");
	}

	@Test
	void waitsForTheResultOfAnAsynchronousCall() {
		CopyOnWriteArrayList<String> lines = new CopyOnWriteArrayList<>();
		this.runner.withPropertyValues("backoff.shutdown.wait=25s").run((context) -> {
			Work work = context.getBean(Work.class);
			CompletableFuture<String> result = work.runLater();
			Log log = context.getBean(Log.class);
			start(() -> {
				log.await();
				log.lines.add("result is there");
				work.complete();
			}, new CompletableFuture<>());
			close(context);
			assertThat(result).isCompletedWithValue("done");
			lines.addAll(log.lines);
		});
		assertThat(lines).containsExactly("web servers drain", "result is there", "other parts stop",
				"beans are destroyed");
	}

	@Test
	void countsAReactiveCallWhileItIsSubscribedTo() {
		this.runner.withPropertyValues("backoff.shutdown.wait=25s").run((context) -> {
			Work work = context.getBean(Work.class);
			CallRegistry running = context.getBean(CallRegistry.class);
			Mono<String> call = work.runReactively();
			assertThat(running.running()).isZero();
			CompletableFuture<String> result = call.toFuture();
			assertThat(running.running()).isEqualTo(1);
			work.complete();
			assertThat(result).isCompletedWithValue("done");
			assertThat(running.running()).isZero();
			call.subscribe().dispose();
			assertThat(running.running()).isZero();
		});
	}

	@Test
	void endsWhenTheTimeIsUpAndSaysHowManyStillRun(CapturedOutput output) {
		this.runner.withPropertyValues("backoff.shutdown.wait=20ms").run((context) -> {
			Work work = context.getBean(Work.class);
			Log log = context.getBean(Log.class);
			log.holds = true;
			CompletableFuture<Void> one = begun(work);
			CompletableFuture<Void> other = begun(work);
			close(context);
			assertThat(one).isNotDone();
			assertThat(other).isNotDone();
			assertThat(log.lines).endsWith("other parts stop", "beans are destroyed");
			log.released.countDown();
			one.get(30, TimeUnit.SECONDS);
			other.get(30, TimeUnit.SECONDS);
		});
		assertThat(output.toString().lines().filter((line) -> line.contains("still running"))).singleElement()
			.asString()
			.contains(" INFO ", "Closing with 2 calls still running after 20 ms (backoff.shutdown.wait)");
	}

	@Test
	void isNoneByDefaultAndCountsNothing(CapturedOutput output) {
		this.runner.run((context) -> {
			Work work = context.getBean(Work.class);
			Log log = context.getBean(Log.class);
			log.holds = true;
			CompletableFuture<Void> call = begun(work);
			assertThat(context.getBean(CallRegistry.class).running()).isZero();
			close(context);
			assertThat(call).isNotDone();
			log.released.countDown();
			call.get(30, TimeUnit.SECONDS);
		});
		assertThat(output).doesNotContain("still running");
	}

	@Test
	void isForClosingAndNotForStopping() {
		this.runner.withPropertyValues("backoff.shutdown.wait=25s").run((context) -> {
			Work work = context.getBean(Work.class);
			Log log = context.getBean(Log.class);
			log.holds = true;
			CompletableFuture<Void> call = begun(work);
			ConfigurableApplicationContext application = context.getSourceApplicationContext();
			application.stop();
			assertThat(call).isNotDone();
			application.start();
			log.released.countDown();
			call.get(30, TimeUnit.SECONDS);
			assertThat(context.getBean(Shutdown.class).isRunning()).isTrue();
		});
	}

	@Test
	void isNotNegative() {
		this.runner.withPropertyValues("backoff.shutdown.wait=-1s")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Invalid backoff.shutdown.wait (-1s)")
				.hasMessageContaining("must not be negative"));
	}

	private static void close(AssertableApplicationContext context) {
		context.getSourceApplicationContext().close();
	}

	private static CompletableFuture<Void> begun(Work work) throws InterruptedException {
		CompletableFuture<Void> call = new CompletableFuture<>();
		CountDownLatch begun = new CountDownLatch(1);
		start(() -> work.run(begun), call);
		begun.await();
		return call;
	}

	private static void start(Runnable work, CompletableFuture<Void> end) {
		new Thread(() -> {
			work.run();
			end.complete(null);
		}).start();
	}

	static class Log {

		final List<String> lines = new CopyOnWriteArrayList<>();

		final CountDownLatch released = new CountDownLatch(1);

		volatile boolean holds;

		void await() {
			try {
				this.released.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	static class Work implements DisposableBean {

		private final Log log;

		private final CompletableFuture<String> later = new CompletableFuture<>();

		Work(Log log) {
			this.log = log;
		}

		@Backoff
		void run(CountDownLatch begun) {
			begun.countDown();
			this.log.await();
			this.log.lines.add("call ends");
		}

		@Backoff(base = "1h", cap = "1h", jitter = "equal", recover = "give")
		void sleep() {
			throw new IllegalStateException("attempt");
		}

		void give() {
			this.log.await();
			this.log.lines.add("recovery ends");
		}

		@Backoff
		CompletableFuture<String> runLater() {
			return this.later;
		}

		@Backoff
		Mono<String> runReactively() {
			return Mono.fromFuture(this.later, true);
		}

		void complete() {
			this.later.complete("done");
		}

		@Override
		public void destroy() {
			this.log.lines.add("beans are destroyed");
		}

	}

	/** Lets calls go on when web servers drain, unless told not to. */
	static class Phases {

		Phases(Log log, ConfigurableListableBeanFactory beanFactory) {
			beanFactory.registerSingleton("drain",
					new Stopping(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE, () -> {
						log.lines.add("web servers drain");
						if (!log.holds) {
							log.released.countDown();
						}
					}));
			beanFactory.registerSingleton("rest", new Stopping(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE - 1,
					() -> log.lines.add("other parts stop")));
		}

	}

	static class Stopping implements SmartLifecycle {

		private final int phase;

		private final Runnable stop;

		private boolean running;

		Stopping(int phase, Runnable stop) {
			this.phase = phase;
			this.stop = stop;
		}

		@Override
		public int getPhase() {
			return this.phase;
		}

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
			this.stop.run();
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

	}

}
