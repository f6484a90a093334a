package dev.backoff.spring.advice;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
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

import dev.backoff.RunningCalls;
import dev.backoff.WaitingCalls;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.time.Cancellable;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;

/**
 * End the calls of an application that closes. First, waiting calls are woken, and
 * nothing is retried any more. Then running calls get the configured time, in the phase
 * in which web servers let requests finish. Without running calls nothing is held up.
 * Thread-safe.
 */
final class Shutdown implements ApplicationListener<ContextClosedEvent>, SmartLifecycle, Ordered {

	/* The phase of the graceful shutdown of Spring Boot's web servers. */
	private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 1024;

	private static final Logger logger = LoggerFactory.getLogger(Shutdown.class);

	private final ApplicationContext context;

	private final WaitingCalls waiting;

	private final RunningCalls running;

	private final long wait;

	private final Supplier<RetryTime> time;

	private volatile boolean started;

	Shutdown(ApplicationContext context, WaitingCalls waiting, RunningCalls running, BackoffPolicies policies,
			Supplier<RetryTime> time) {
		this.context = context;
		this.waiting = waiting;
		this.running = running;
		this.wait = Nanos.of(policies.configuration().shutdownWait());
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
			this.waiting.shutDown(executor());
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
		if (this.wait == 0 || !this.waiting.isShutDown() || this.running.count() == 0) {
			callback.run();
			return;
		}
		AtomicBoolean ended = new AtomicBoolean();
		Cancellable limit = this.time.get().schedule(() -> {
			if (ended.compareAndSet(false, true)) {
				long count = this.running.count();
				logger.info("Closing with {} still running after {} (backoff.shutdown.wait)",
						(count == 1) ? "1 call" : count + " calls", DurationText.story(this.wait));
				callback.run();
			}
		}, this.wait);
		this.running.whenNone(() -> {
			if (ended.compareAndSet(false, true)) {
				limit.cancel();
				callback.run();
			}
		});
	}

}
