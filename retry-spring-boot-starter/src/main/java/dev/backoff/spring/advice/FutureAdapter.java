package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

import dev.backoff.AsyncOperation;
import dev.backoff.Recovery;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.failure.Causes;
import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Return a {@link CompletionStage} or a {@link Future}. The caller receives a future of
 * ours.
 * <p>
 * A plain future does not report its end. If it is not a stage and has not ended yet, a
 * thread waits for it.
 */
@SuppressWarnings("NullAway") // it does not see that the values may be null
record FutureAdapter(Class<?> kind) implements ReturnTypeAdapter {

	@Override
	public ResolvableType result(AnnotatedMethod method) {
		return value(ReturnTypeAdapter.super.result(method));
	}

	private static ResolvableType value(ResolvableType later) {
		ResolvableType future = later.as(Future.class);
		return ((future.resolve() != null) ? future : later.as(CompletionStage.class)).getGeneric();
	}

	@Override
	public boolean isRecoveredBy(Method recovery, AnnotatedMethod method) {
		ResolvableType returned = ResolvableType.forMethodReturnType(recovery, method.type());
		boolean later = CompletionStage.class.isAssignableFrom(returned.toClass())
				|| (isPlain() && Future.class.isAssignableFrom(returned.toClass()));
		return later && ReturnTypeAdapter.isValue(value(returned), result(method));
	}

	private boolean isPlain() {
		return this.kind == Future.class;
	}

	@Override
	@SuppressWarnings("FutureReturnValueIgnored") // the caller receives the future
	public MethodInterceptor laterCalls(Parts parts) {
		AsyncOperation.OnContext<MethodInvocation, @Nullable Object> attempt = (invocation,
				number) -> stage(parts.attempt().run(invocation, number), "", parts);
		Recovery<MethodInvocation, @Nullable Object, Throwable> recovery = parts.recovery();
		StagedRecovery staged = (recovery != null) ? new StagedRecovery(this, recovery, parts) : null;
		return (invocation) -> parts.retry().callAsyncOn(invocation, attempt, staged);
	}

	@SuppressWarnings("unchecked") // the type of the values does not matter here
	private CompletionStage<@Nullable Object> stage(@Nullable Object returned, String what, Parts parts) {
		if (returned instanceof Future<?> future && !(returned instanceof CompletionStage<?>)) {
			return awaited(future, parts.executor());
		}
		if (returned == null && isPlain()) {
			throw new NullPointerException(what + parts.retry().method() + " returned null instead of a Future");
		}
		return (CompletionStage<@Nullable Object>) returned;
	}

	/** Let a thread wait for a future, which is cancelled with the returned one. */
	private static CompletableFuture<@Nullable Object> awaited(Future<?> future,
			Supplier<? extends Executor> executor) {
		CompletableFuture<@Nullable Object> awaited = new CompletableFuture<>();
		CompletableFuture<?> unused = awaited.exceptionally((failure) -> awaited.isCancelled() && future.cancel(true));
		if (future.isDone()) {
			await(future, awaited);
			return awaited;
		}
		// runs once; elsewhere if all threads of the executor wait for such results
		FutureTask<?> wait = new FutureTask<>(() -> await(future, awaited), null);
		CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS).execute(wait);
		try {
			executor.get().execute(wait);
		}
		catch (Throwable ex) {
			// the work has begun already, so its result must be awaited in any case
			awaited.defaultExecutor().execute(wait);
		}
		return awaited;
	}

	private static void await(Future<?> future, CompletableFuture<@Nullable Object> awaited) {
		try {
			awaited.complete(future.get());
		}
		catch (ExecutionException ex) {
			Throwable cause = Causes.cause(ex);
			awaited.completeExceptionally((cause != null) ? cause : ex);
		}
		catch (InterruptedException ex) {
			awaited.completeExceptionally(ex);
			Thread.currentThread().interrupt();
		}
		catch (Throwable ex) {
			awaited.completeExceptionally(ex);
		}
	}

	/** A recovery by a method that returns a future. */
	private record StagedRecovery(FutureAdapter adapter,
			Recovery<MethodInvocation, @Nullable Object, Throwable> recovery,
			Parts parts) implements Recovery<MethodInvocation, CompletionStage<@Nullable Object>, Throwable> {

		@Override
		public boolean accepts(RetriesStoppedException stopped) {
			return this.recovery.accepts(stopped);
		}

		@Override
		public CompletionStage<@Nullable Object> recover(MethodInvocation invocation, RetriesStoppedException stopped)
				throws Throwable {
			return this.adapter.stage(this.recovery.recover(invocation, stopped), "The recovery of ", this.parts);
		}

	}

}
