package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

import dev.backoff.AsyncOperation;
import dev.backoff.Recovery;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Return a {@link Future}, which cannot be asked to tell when it ends. One that is a
 * stage is taken as such, and one that has ended is asked at once; for any other a thread
 * waits.
 */
final class FutureManner implements Manner {

	static final Manner INSTANCE = new FutureManner();

	private FutureManner() {
	}

	@Override
	public ResolvableType result(AnnotatedMethod method) {
		return value(ResolvableType.forMethodReturnType(method.method(), method.type()));
	}

	private static ResolvableType value(ResolvableType later) {
		ResolvableType future = later.as(Future.class);
		return ((future.resolve() != null) ? future : later.as(CompletionStage.class)).getGeneric();
	}

	@Override
	public boolean isRecoveredBy(Method recovery, AnnotatedMethod method) {
		ResolvableType returned = ResolvableType.forMethodReturnType(recovery, method.type());
		boolean later = Future.class.isAssignableFrom(returned.toClass())
				|| CompletionStage.class.isAssignableFrom(returned.toClass());
		return later && Manner.isValue(value(returned), result(method));
	}

	@Override
	@SuppressWarnings({ "NullAway", "FutureReturnValueIgnored" }) // values may be null;
																	// the
																	// caller gets the
																	// future
	public LaterCalls laterCalls(LaterCalls.Parts parts) {
		AsyncOperation.OnContext<MethodInvocation, @Nullable Object> attempt = (invocation, number) -> stage(
				parts.attempts().invoke(invocation, number > 1), parts.plan().get().label(), parts.executor());
		Recovery<MethodInvocation, @Nullable Object, Throwable> recovery = parts.recovery();
		Recovery<MethodInvocation, CompletionStage<@Nullable Object>, Throwable> staged = (recovery != null)
				? new StagedRecovery(recovery, parts) : null;
		return (invocation) -> parts.retry().callAsyncOn(invocation, attempt, staged);
	}

	@SuppressWarnings("unchecked") // a value is a value
	private static CompletionStage<@Nullable Object> stage(@Nullable Object returned, String method,
			Supplier<? extends Executor> executor) {
		if (returned == null) {
			throw new NullPointerException(method + " returned null instead of a Future");
		}
		if (returned instanceof CompletionStage<?> stage) {
			return (CompletionStage<@Nullable Object>) stage;
		}
		Awaited awaited = new Awaited((Future<?>) returned);
		if (awaited.future.isDone()) {
			awaited.run();
		}
		else {
			run(awaited, executor);
		}
		return awaited;
	}

	/* The work goes on already, so that nothing may keep its result from being seen. */
	private static void run(Awaited awaited, Supplier<? extends Executor> executor) {
		try {
			executor.get().execute(awaited);
		}
		catch (Throwable ex) {
			// refused, or what it is to carry cannot be had
			awaited.defaultExecutor().execute(awaited);
		}
	}

	/** A future that a thread waits for. */
	private static final class Awaited extends CompletableFuture<@Nullable Object> implements Runnable {

		private final Future<?> future;

		Awaited(Future<?> future) {
			this.future = future;
		}

		@Override
		public void run() {
			try {
				complete(this.future.get());
			}
			catch (ExecutionException ex) {
				completeExceptionally((ex.getCause() != null) ? ex.getCause() : ex);
			}
			catch (InterruptedException ex) {
				// whoever owns the thread wants it back
				completeExceptionally(ex);
				Thread.currentThread().interrupt();
			}
			catch (Throwable ex) {
				completeExceptionally(ex);
			}
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			return this.future.cancel(mayInterruptIfRunning) || cancelled;
		}

	}

	/** A recovery by a method that returns a future. */
	@SuppressWarnings("NullAway") // it does not see that the values may be null
	private record StagedRecovery(Recovery<MethodInvocation, @Nullable Object, Throwable> recovery,
			LaterCalls.Parts parts)
			implements
				Recovery<MethodInvocation, CompletionStage<@Nullable Object>, Throwable> {

		@Override
		public boolean accepts(RetriesStoppedException stopped) {
			return this.recovery.accepts(stopped);
		}

		@Override
		public CompletionStage<@Nullable Object> recover(MethodInvocation invocation, RetriesStoppedException stopped)
				throws Throwable {
			return stage(this.recovery.recover(invocation, stopped),
					"The recovery of " + this.parts.plan().get().label(), this.parts.executor());
		}

	}

}
