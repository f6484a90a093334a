package dev.backoff.spring.advice;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.Ordered;

import dev.backoff.CallRegistry;
import dev.backoff.spring.configuration.SettingKey;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;

/**
 * End the calls of an application that closes (decision 0015): waiting calls at once,
 * running ones within the configured time, in the phase in which web servers let requests
 * finish. Thread-safe.
 */
final class Shutdown implements ApplicationListener<ContextClosedEvent>, SmartLifecycle, Ordered {

	/* The phase of the graceful shutdown of Spring Boot's web servers. */
	private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 1024;

	private static final int MAX_HELPERS = 64;

	private static final Logger logger = LoggerFactory.getLogger(Shutdown.class);

	private final ApplicationContext context;

	private final CallRegistry calls;

	private final long wait;

	private final Supplier<RetryTime> time;

	private volatile boolean started;

	Shutdown(ApplicationContext context, CallRegistry calls, BackoffPolicies policies, Supplier<RetryTime> time) {
		this.context = context;
		this.calls = calls;
		this.wait = Nanos.of(policies.configuration().get(SettingKey.SHUTDOWN_WAIT));
		this.time = time;
	}

	/* Before executors refuse work. */
	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		if (event.getApplicationContext() == this.context) {
			this.calls.shutDown((ends) -> run(ends, executor()));
		}
	}

	/*
	 * An executor may be busy, refuse to help or drop its tasks. Its threads begin at the
	 * front and this one at the back, so that a slow task delays no other.
	 */
	static void run(List<Runnable> ends, Executor executor) {
		List<FutureTask<Void>> tasks = ends.stream().map((end) -> new FutureTask<Void>(end, null)).toList();
		try {
			for (int helper = 0; helper < Math.min(tasks.size(), MAX_HELPERS); helper++) {
				executor.execute(() -> tasks.forEach(FutureTask::run));
			}
		}
		catch (RuntimeException | Error ex) {
			// this thread and the helpers so far do all
		}
		for (int i = tasks.size() - 1; i >= 0; i--) {
			tasks.get(i).run();
		}
		for (FutureTask<Void> task : tasks) {
			try {
				task.get();
			}
			catch (ExecutionException | CancellationException ex) {
				// a task that failed is done too
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
		}
	}

	/* An executor that does not exist by now is not made. */
	private Executor executor() {
		if (this.context.getAutowireCapableBeanFactory() instanceof SingletonBeanRegistry beans
				&& beans.getSingleton(LaterAttempts.EXECUTOR_BEAN) instanceof Executor executor) {
			return executor;
		}
		return new CompletableFuture<Void>().defaultExecutor();
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/* An application that is paused goes on, and so do its waits. */
	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public void start() {
		this.started = true;
	}

	@Override
	public boolean isRunning() {
		return this.started;
	}

	@Override
	public void stop() {
		this.started = false;
	}

	@Override
	public void stop(Runnable callback) {
		this.started = false;
		// an application that is stopped and not closed goes on to wait and retry
		if (this.wait == 0 || !this.calls.isShutDown() || this.calls.running() == 0) {
			callback.run();
			return;
		}
		AtomicBoolean ended = new AtomicBoolean();
		Cancellable limit = this.time.get().schedule(() -> {
			if (ended.compareAndSet(false, true)) {
				long count = this.calls.running();
				logger.info("Closing with {} still running after {} (backoff.shutdown.wait)",
						(count == 1) ? "1 call" : count + " calls", DurationText.rounded(this.wait));
				callback.run();
			}
		}, this.wait);
		this.calls.whenNoneRuns(() -> {
			if (ended.compareAndSet(false, true)) {
				limit.cancel();
				callback.run();
			}
		});
	}

}
