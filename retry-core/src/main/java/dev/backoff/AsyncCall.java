package dev.backoff;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.event.CallObserver;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.failure.Causes;
import dev.backoff.time.RetryTime.Cancellable;

/** One asynchronous call, from its first attempt to its end. */
final class AsyncCall<C, T extends @Nullable Object> implements Supplier<CallRegistry.@Nullable RunningAttempt> {

	/*
	 * At any time the call either is driven by one thread or has something under way: an
	 * attempt, a wait, a recovery. That can end in several ways at once: it completes, it
	 * is cancelled, the application shuts down. The first thread to take it out of the
	 * field, by compare-and-set, drives the call on; for all others it is too late.
	 *
	 * The caller may complete the result at any time. It completes the result first and
	 * then takes what is under way; a driving thread first puts something under way and
	 * then looks at the result. So one of the two sees the other.
	 */

	@SuppressWarnings("rawtypes")
	private static final AtomicReferenceFieldUpdater<AsyncCall, CallStack.Driving.@Nullable UnderWay> UNDER_WAY = AtomicReferenceFieldUpdater
		.newUpdater(AsyncCall.class, CallStack.Driving.UnderWay.class, "underWay");

	/** Runs later attempts unless another executor is given. */
	static final Executor DEFAULT_EXECUTOR = new CompletableFuture<Void>().defaultExecutor();

	final CallState state;

	final CallSteps steps;

	final C context;

	private final AsyncOperation.OnContext<C, T> operation;

	private final @Nullable Recovery<? super C, ? extends CompletionStage<T>, ?> recovery;

	final Executor executor;

	final AsyncResult<T> result = new AsyncResult<>(this);

	private volatile CallStack.Driving.@Nullable UnderWay underWay;

	private AsyncCall(CallSteps steps, C context, AsyncOperation.OnContext<C, T> operation,
			@Nullable Recovery<? super C, ? extends CompletionStage<T>, ?> recovery, @Nullable CallState enclosing,
			Executor executor) {
		this.state = new CallState(enclosing);
		this.steps = steps;
		this.context = context;
		this.operation = operation;
		this.recovery = recovery;
		this.executor = executor;
	}

	/** Start a call, which holds no thread while it waits. */
	static <C, T extends @Nullable Object> CompletableFuture<T> start(CallSteps steps, Executor executor, C context,
			AsyncOperation.OnContext<C, T> operation,
			@Nullable Recovery<? super C, ? extends CompletionStage<T>, ?> recovery) {
		CallStack.settle();
		CallState running = CallStack.ofThread().running();
		// the call may outlive the attempt around it, and goes on on other threads
		CallState enclosing = (running != null) ? CallState.adopting(running.context().share(), null) : null;
		AsyncCall<C, T> call = new AsyncCall<>(steps, context, operation, recovery, enclosing, executor);
		operation.begins(call.result);
		call.drive(null);
		return steps.limit().list(call, call.result);
	}

	private Decision begin() {
		Permit permit = this.steps.begin(this.state, this.context);
		CallObserver.ObservedCall observed = this.state.observed();
		if (observed != null) {
			observed.isAsynchronous();
		}
		return (permit != null) ? new Decision.Proceed(permit, null) : this.steps.refused(this.state);
	}

	/** Return the attempt that runs now, or null. */
	@Override
	public CallRegistry.@Nullable RunningAttempt get() {
		return (this.underWay instanceof AsyncAttempt<?> begun && begun.stage != null) ? CallRegistry.RunningAttempt
			.of(this.state.settings(), this.state.attempt, this.state.attemptStart, null) : null;
	}

	/** End the call, since the result is complete. */
	void abandon(boolean cancelled) {
		if (this.underWay instanceof CallStack.Driving.Abandonable abandoned && claim(abandoned)) {
			abandoned.abandon(cancelled);
		}
	}

	private void putUnderWay(CallStack.Driving.UnderWay begun, CallStack.Driving driving) {
		driving.begun = begun;
		driving.owning = false;
		this.underWay = begun;
	}

	/** Return whether the given attempt, wait or recovery has not been taken out. */
	boolean isUnderWay(CallStack.Driving.UnderWay begun) {
		return this.underWay == begun;
	}

	/** Take out what is under way; false if another thread has taken it. */
	boolean claim(CallStack.Driving.UnderWay claimed) {
		CallStack.Driving beginning = CallStack.Driving.beginning(claimed, CallStack.ofThread().driving);
		boolean taken = UNDER_WAY.compareAndSet(this, claimed, null);
		if (taken && beginning != null) {
			beginning.owning = true;
		}
		return taken;
	}

	/** Return why the operation refuses another attempt, or null. */
	Decision.@Nullable Stop unrepeatable() {
		try {
			String why = this.operation.unrepeatable(this.context);
			return (why != null) ? Decision.notRetryable(why) : null;
		}
		catch (Throwable ex) {
			this.steps.events().hookFailed("operation", ex);
			return Decision.notRetryable("whether the attempt may be repeated failed", ex);
		}
	}

	/** Go on, after what was under way has ended and was taken out. */
	void drive(Decision next, CallStack.Driving.UnderWay ended) {
		CallStack.Driving beginning = CallStack.Driving.beginning(ended, CallStack.ofThread().driving);
		if (beginning != null) {
			beginning.goOnWith(next);
		}
		else {
			inContext(() -> drive(next));
		}
	}

	/** Run work on this thread, which may be a foreign one, with the caller's context. */
	void inContext(Runnable work) {
		if (!(this.executor instanceof AsyncOperation.CarryingExecutor carrying)) {
			work.run();
			return;
		}
		boolean[] begun = { false };
		try {
			carrying.runHere(() -> {
				begun[0] = true;
				work.run();
			});
		}
		catch (Throwable ex) {
			this.steps.events().hookFailed("executor", ex);
			if (!begun[0]) {
				work.run();
			}
		}
	}

	/*
	 * An attempt may end while it is started, and an executor may run a task at once. The
	 * loop further out on this thread then goes on, and the stack stays flat.
	 */
	private void drive(@Nullable Decision next) {
		CallStack stack = CallStack.ofThread();
		CallStack.Driving driving = new CallStack.Driving(stack.driving);
		stack.driving = driving;
		boolean driven = false;
		boolean begun = false;
		Throwable thrown = null;
		try {
			Decision first = (next != null) ? next : begin();
			for (Decision decision = first; decision != null; decision = driving.next()) {
				take(decision, driving);
			}
			if (driving.owning) {
				this.state.giveBack();
			}
			driven = true;
		}
		catch (Throwable ex) {
			thrown = ex;
		}
		finally {
			stack.driving = driving.outer;
			begun = !driven && !driving.owning && this.underWay == driving.begun;
			if (begun || (!driven && driving.owning)) {
				// calls no method, since an overflow may have left no stack for one
				this.underWay = null;
				CallState before = CallStack.CUT_OFF[stack.place];
				while (before != null && before.attempt == 0) {
					before = before.inner;
				}
				this.state.inner = before;
				CallStack.CUT_OFF[stack.place] = this.state;
				CallStack.owing = true;
			}
		}
		if (begun && driving.begun instanceof AsyncWait wait) {
			wait.ended();
		}
		if (thrown != null) {
			CallStack.settle();
			this.result.fail(thrown);
		}
		else if (driving.owning && !this.result.isDone()) {
			// a stage keeps to itself what is thrown at its end
			this.result.fail(new IllegalStateException("the end of an attempt was lost"));
		}
	}

	private void take(Decision decision, CallStack.Driving driving) {
		if (decision instanceof Decision.Proceed proceed) {
			attempt(proceed, driving);
		}
		else if (decision instanceof Decision.RetryAfter wait) {
			await(wait, driving);
		}
		else {
			end((Decision.Stop) decision, driving);
		}
	}

	/*
	 * An attempt has begun once it is under way and this thread has not taken it back:
	 * then it counts and is made, also if the caller cancels it right now.
	 */
	private void attempt(Decision.Proceed proceed, CallStack.Driving driving) {
		// before another thread can end it
		CallObserver.@Nullable Observed observed = this.result.isDone() ? null : this.state.observeAttempt();
		AsyncAttempt<T> running = new AsyncAttempt<>(this, proceed.permit());
		putUnderWay(running, driving);
		if (this.result.isDone() && claim(running)) {
			this.steps.releaseUncounted(proceed, this.state);
			driving.goOnWith(this.result.isCancelled() ? Decision.CANCELLED : Decision.COMPLETED);
			return;
		}
		this.steps.attempting(proceed);
		AttemptLimit limit = this.steps.limit();
		CompletionStage<T> stage;
		try {
			stage = CallStack.ofThread()
				.within(this.state,
						() -> CallEvents.within(observed, () -> limit.run(this.state, () -> start(running))));
		}
		catch (Throwable failure) {
			keepInterrupt(failure);
			running.cancelStage();
			running.accept(null, failure);
			return;
		}
		whenComplete(stage, running);
		if (limit.isSet()) {
			running.endInTime();
		}
	}

	private CompletionStage<T> start(AsyncAttempt<T> running) throws Throwable {
		CompletionStage<T> stage = started(this.operation.run(this.context, this.state.attempt), "");
		running.begun(stage);
		return stage;
	}

	<S> S started(@Nullable S stage, String what) {
		if (stage == null) {
			throw new NullPointerException(
					what + this.steps.settings().method() + " returned null instead of a CompletionStage");
		}
		return stage;
	}

	/* The thread that started the work was interrupted, not one that carries it out. */
	static void keepInterrupt(Throwable failure) {
		if (Causes.unreflected(failure) instanceof InterruptedException) {
			Thread.currentThread().interrupt();
		}
	}

	static <T extends @Nullable Object> void whenComplete(CompletionStage<T> stage,
			BiConsumer<@Nullable T, @Nullable Throwable> end) {
		if (stage.getClass() == CompletableFuture.class && stage instanceof CompletableFuture<T> known && known.isDone()
				&& !known.isCompletedExceptionally()) {
			// whenComplete would swallow a StackOverflowError of the end
			end.accept(known.join(), null);
			return;
		}
		try {
			stage.whenComplete(end);
		}
		catch (Throwable failure) {
			end.accept(null, failure);
		}
	}

	private void await(Decision.RetryAfter chosen, CallStack.Driving driving) {
		this.steps.waiting(chosen, this.state);
		// many calls may wait
		this.state.inner = null;
		AsyncWait wait = new AsyncWait(this);
		putUnderWay(wait, driving);
		this.steps.registry().enter(wait);
		if (this.result.isDone()) {
			abandon(this.result.isCancelled());
		}
		wait.begin(chosen.delay());
	}

	private void end(Decision.Stop stop, CallStack.Driving driving) {
		CallResult ended = this.steps.end(stop, this.state);
		RetriesStoppedException report = ended.report();
		boolean given = this.result.isDone();
		if (report != null && !given && this.recovery != null && this.steps.wants(this.recovery, report)) {
			AsyncRecovery<T> recovering = new AsyncRecovery<>(this, ended, report);
			putUnderWay(recovering, driving);
			recovering.start(this.context, this.recovery);
			return;
		}
		if (report != null && given) {
			ended = ended.given(
					this.result.isCancelled() ? new CancellationException("the caller has cancelled the call") : null);
		}
		end(ended);
	}

	@SuppressWarnings({ "unchecked", "NullAway" }) // T says itself whether it may be null
	void end(CallResult ended) {
		if (ended.report() != null) {
			this.steps.stopped(ended, ended.report(), this.state.enclosing());
		}
		if (ended.thrown() != null) {
			fail(ended.thrown());
		}
		else {
			settle((T) ended.value());
		}
	}

	void settle(T value) {
		outside(() -> this.result.settle(value));
	}

	void fail(Throwable failure) {
		outside(() -> this.result.fail(failure));
	}

	/** End the call with what one of its own steps threw. */
	void crash(Throwable thrown) {
		this.state.giveBack();
		fail(thrown);
	}

	/*
	 * The code that follows the call is no part of an attempt that runs on this thread.
	 * What stands here for an attempt of this call is taken away for good, since a
	 * coroutine may go on here after this has returned.
	 */
	private void outside(Runnable end) {
		CallStack stack = CallStack.ofThread();
		stack.abandonAdopted(this.state);
		if (stack.running() == null) {
			end.run();
		}
		else {
			stack.within(around(), () -> {
				end.run();
				return this;
			});
		}
	}

	/** Return the call around this one, or else a call that is not running. */
	CallState around() {
		CallState enclosing = this.state.enclosing();
		return (enclosing != null) ? enclosing : new CallState(null);
	}

	/** Run a task on the first executor that takes it, else here. */
	static void execute(Runnable task, Executor... executors) {
		for (Executor executor : executors) {
			try {
				executor.execute(task);
				return;
			}
			catch (Throwable failure) {
				// the next one
			}
		}
		task.run();
	}

	/** Run a task elsewhere if a busy executor has not begun what it was given. */
	@Nullable Cancellable guard(Runnable task) {
		AttemptLimit limit = this.steps.limit();
		return limit.schedule(() -> execute(task, DEFAULT_EXECUTOR), limit.nanosToBegin(this.state));
	}

}
