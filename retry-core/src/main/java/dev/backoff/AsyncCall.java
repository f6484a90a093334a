package dev.backoff;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.time.Cancellable;
import dev.backoff.time.Nanos;

/**
 * One asynchronous call, from its first attempt to its end.
 */
final class AsyncCall<C, T extends @Nullable Object> extends RetryCall {

	/*
	 * At any time the call either is driven by one thread or has something under way: an
	 * attempt, a wait, a recovery. What is under way can end in several ways at once (it
	 * completes, it is cancelled, the application shuts down); who takes it out of the
	 * field by compare-and-set drives the call on, and all others come too late.
	 *
	 * The caller may complete the result at any time. It does so first and then takes
	 * what is under way; a driving thread first puts something under way and then looks
	 * at the result. So one of the two sees the other.
	 */

	@SuppressWarnings("rawtypes")
	private static final AtomicReferenceFieldUpdater<AsyncCall, @Nullable UnderWay> UNDER_WAY = AtomicReferenceFieldUpdater
		.newUpdater(AsyncCall.class, UnderWay.class, "underWay");

	@SuppressWarnings("rawtypes")
	private static final AtomicReferenceFieldUpdater<AsyncCall, @Nullable Driving> DRIVING = AtomicReferenceFieldUpdater
		.newUpdater(AsyncCall.class, Driving.class, "driving");

	private static final int MOST_WRAPPERS = 16;

	private final AsyncDriver driver;

	private final C context;

	private final AsyncOperation.OnContext<C, T> operation;

	private final @Nullable Recovery<? super C, ? extends CompletionStage<T>, ?> recovery;

	private final Executor executor;

	private final AsyncResult<T> result = new AsyncResult<>(this);

	private volatile @Nullable UnderWay underWay;

	private volatile @Nullable Driving driving;

	AsyncCall(AsyncDriver driver, C context, AsyncOperation.OnContext<C, T> operation,
			@Nullable Recovery<? super C, ? extends CompletionStage<T>, ?> recovery, @Nullable RetryCall enclosing,
			Executor executor) {
		super(enclosing);
		this.driver = driver;
		this.context = context;
		this.operation = operation;
		this.recovery = recovery;
		this.executor = executor;
	}

	CompletableFuture<T> start() {
		Permit permit = this.driver.steps().begin(this);
		drive((permit != null) ? new Turn.Attempt(permit) : this.driver.steps().refused(this));
		return this.result;
	}

	/** End the call, since the result is complete. */
	void abandon(boolean cancelled) {
		UnderWay abandoned = this.underWay;
		if (abandoned != null && abandoned.isAbandonable() && claim(abandoned)) {
			abandoned.abandon(cancelled);
		}
	}

	private boolean claim(UnderWay claimed) {
		return UNDER_WAY.compareAndSet(this, claimed, null);
	}

	/*
	 * An attempt may end while it is started and an executor may run what it is given at
	 * once: then the next turn is taken by the loop that is further out on this thread,
	 * and the stack stays flat.
	 */
	private void drive(Turn next) {
		Driving outer = this.driving;
		if (outer != null && outer.thread == Thread.currentThread()) {
			outer.next = next;
			return;
		}
		Driving inner = new Driving(Thread.currentThread());
		this.driving = inner;
		try {
			for (Turn turn = next; turn != null; turn = inner.next()) {
				take(turn);
			}
		}
		catch (Throwable ex) {
			// no memory, no stack: what nobody can go on from
			this.result.fail(ex);
		}
		finally {
			inner.thread = null;
			// unless another thread drives already
			DRIVING.compareAndSet(this, inner, null);
		}
	}

	private void take(Turn turn) {
		if (turn instanceof Turn.Attempt attempt) {
			attempt(attempt.permit());
		}
		else if (turn instanceof Decision.RetryAfter wait) {
			await(wait);
		}
		else {
			end((Decision.Stop) turn);
		}
	}

	private void attempt(Permit permit) {
		CallObservation observation = observation();
		// before anybody can end it
		CallObserver.Observed observed = (observation != null) ? observation.attemptBegins(attempt()) : null;
		Running running = new Running(permit);
		this.underWay = running;
		if (this.result.isDone()) {
			abandon(this.result.isCancelled());
			return;
		}
		AttemptLimit limit = this.driver.limit();
		long nanos = limit.isSet() ? limit.nanosLeft(this) : Nanos.UNLIMITED;
		CompletionStage<T> stage;
		try {
			stage = within(this, () -> (observation != null) ? observation.within(observed, () -> startLimited(running))
					: startLimited(running));
		}
		catch (Throwable failure) {
			keepInterrupt(failure);
			running.cancelStage();
			running.accept(null, failure);
			return;
		}
		whenComplete(stage, running);
		if (limit.isSet()) {
			running.endAfter(nanos);
		}
	}

	private CompletionStage<T> startLimited(Running running) throws Throwable {
		AttemptLimit limit = this.driver.limit();
		return limit.isSet() ? limit.run(this, () -> start(running)) : start(running);
	}

	private CompletionStage<T> start(Running running) throws Throwable {
		CompletionStage<T> stage = started(this.operation.run(this.context, attempt()), "");
		running.of(stage);
		return stage;
	}

	private <S> S started(@Nullable S stage, String what) {
		if (stage == null) {
			throw new NullPointerException(what + this.driver.method() + " returned null instead of a CompletionStage");
		}
		return stage;
	}

	/*
	 * The thread that started the work was interrupted, and not one that carries it out.
	 */
	private static void keepInterrupt(Throwable failure) {
		if (failure instanceof InterruptedException) {
			Thread.currentThread().interrupt();
		}
	}

	private static <T extends @Nullable Object> void whenComplete(CompletionStage<T> stage,
			BiConsumer<@Nullable T, @Nullable Throwable> end) {
		try {
			stage.whenComplete(end);
		}
		catch (Throwable failure) {
			end.accept(null, failure);
		}
	}

	private void await(Decision.RetryAfter chosen) {
		this.driver.steps().waiting(chosen, this);
		Waiting wait = new Waiting();
		this.underWay = wait;
		this.driver.waiting().enter(wait, chosen.delay());
		if (this.result.isDone()) {
			abandon(this.result.isCancelled());
		}
		wait.begin(chosen.delay());
	}

	private void end(Decision.Stop stop) {
		Ending ending = this.driver.steps().end(stop, this);
		RetriesStoppedException story = ending.story();
		if (story == null) {
			settle(ending);
			return;
		}
		this.driver.steps().mark(ending, story);
		boolean given = this.result.isDone();
		if (!given && this.recovery != null && this.driver.steps().wants(this.recovery, story)) {
			recover(this.recovery, ending, story);
			return;
		}
		Throwable thrown = !given ? ending.outcome().failure()
				: this.result.isCancelled() ? new CancellationException("the caller has cancelled the call") : null;
		this.driver.steps().stopped(ending, story, RetryEvent.RecoveryOutcome.NONE, thrown, enclosing());
		if (thrown != null) {
			fail(thrown);
		}
		else {
			settle(ending);
		}
	}

	@SuppressWarnings({ "unchecked", "NullAway" }) // the value is a T, which says itself
													// whether it may be null
	private void settle(Ending ending) {
		settle((T) ending.outcome().value());
	}

	private void settle(T value) {
		outside(() -> this.result.settle(value));
	}

	private void fail(Throwable failure) {
		outside(() -> this.result.fail(failure));
	}

	/*
	 * What follows the call is no part of an attempt that happens to run on this thread:
	 * one of this call, carried here, has ended. A coroutine may go on here when this has
	 * returned, so that it does not come back.
	 */
	private void outside(Runnable end) {
		CallStack stack = CallStack.ofThread();
		stack.endStandIns(this);
		if (stack.running() == null) {
			end.run();
			return;
		}
		within(around(), () -> {
			end.run();
			return this;
		});
	}

	private RetryCall around() {
		RetryCall enclosing = enclosing();
		return (enclosing != null) ? enclosing : new RetryCall(null);
	}

	private void recover(Recovery<? super C, ? extends CompletionStage<T>, ?> recovery, Ending ending,
			RetriesStoppedException story) {
		Recovering recovering = new Recovering(ending, story);
		this.underWay = recovering;
		CompletionStage<T> stage;
		try {
			stage = within(around(),
					() -> ending.within(() -> started(recovery.recover(this.context, story), "The recovery of ")));
		}
		catch (Throwable failure) {
			keepInterrupt(failure);
			recovering.accept(null, failure);
			return;
		}
		whenComplete(stage, recovering);
	}

	/** Run what is handed in where it sees the given call, and no other of the thread. */
	private static <R, X extends Throwable> R within(RetryCall call, Operation<R, X> work) throws X {
		CallStack stack = CallStack.ofThread();
		RetryCall outer = stack.lend(call);
		try {
			return work.run();
		}
		finally {
			stack.restore(outer);
		}
	}

	/* Stages wrap what they were completed with, more than once if they are dependent. */
	private static Throwable unwrap(Throwable failure) {
		Throwable unwrapped = failure;
		for (int i = 0; i < MOST_WRAPPERS; i++) {
			Throwable cause = wrappedIn(unwrapped);
			if (cause == null) {
				return unwrapped;
			}
			unwrapped = cause;
		}
		return unwrapped;
	}

	private static @Nullable Throwable wrappedIn(Throwable failure) {
		try {
			return (failure instanceof CompletionException || failure instanceof ExecutionException)
					? failure.getCause() : null;
		}
		catch (Throwable ex) {
			// one that cannot be asked wraps nothing
			return null;
		}
	}

	/**
	 * Let an outcome that is worth another attempt be the last one where there is none.
	 */
	private Outcome unlessRepeatable(Outcome outcome) {
		if (outcome.kind() == AttemptOutcome.SUCCESS || outcome.refusal() != null) {
			return outcome;
		}
		try {
			String why = this.operation.unrepeatable(this.context);
			return (why != null) ? outcome.refusedAs(new Decision.Stop(StopReason.NOT_RETRYABLE, why)) : outcome;
		}
		catch (Throwable ex) {
			this.driver.listeners().hookFailed("operation", ex);
			return outcome.refusedAs(new Decision.Stop(StopReason.NOT_RETRYABLE,
					"whether the attempt may be repeated failed with " + FailureRules.name(ex), ex));
		}
	}

	/** Something that ends once, whoever ends it. */
	private interface UnderWay {

		/** Return whether it ends when the caller wants no result any more. */
		default boolean isAbandonable() {
			return true;
		}

		void abandon(boolean cancelled);

	}

	/**
	 * Let the application's executor do something, or else another one, or else this
	 * thread.
	 */
	private void execute(Runnable task, Executor otherwise) {
		try {
			this.executor.execute(task);
		}
		catch (Throwable failure) {
			executeElsewhere(task, otherwise);
		}
	}

	private static void executeElsewhere(Runnable task, Executor executor) {
		try {
			executor.execute(task);
		}
		catch (Throwable failure) {
			task.run();
		}
	}

	/** An attempt. */
	private final class Running implements UnderWay, BiConsumer<@Nullable T, @Nullable Throwable> {

		private final Permit permit;

		private volatile @Nullable Cancellable timer;

		private volatile @Nullable CompletionStage<T> stage;

		private volatile boolean unwanted;

		private volatile boolean late;

		Running(Permit permit) {
			this.permit = permit;
		}

		/** Note what carries the attempt out. */
		void of(CompletionStage<T> stage) {
			this.stage = stage;
			if (this.unwanted) {
				cancelStage();
			}
		}

		@Override
		public void accept(@Nullable T value, @Nullable Throwable failure) {
			if (!this.late && claim(this)) {
				stopTimer();
				ended(within(AsyncCall.this, () -> (failure != null) ? judge(failure) : judgeValue(value)), value);
			}
		}

		/** End the attempt when it has had the given time. */
		void endAfter(long nanos) {
			if (AsyncCall.this.underWay != this) {
				return;
			}
			AttemptLimit limit = AsyncCall.this.driver.limit();
			this.timer = limit.schedule(() -> timeOut(nanos), limit.nanosLeft(AsyncCall.this));
			if (AsyncCall.this.underWay != this) {
				stopTimer();
			}
		}

		/*
		 * On the timer's thread, which does no more than to decide that the stage comes
		 * too late. The caller does not, should the executor never come to it.
		 */
		private void timeOut(long nanos) {
			if (AsyncCall.this.underWay == this) {
				this.late = true;
				execute(() -> timedOut(nanos), AsyncDriver.DEFAULT_EXECUTOR);
			}
		}

		private void timedOut(long nanos) {
			if (!claim(this)) {
				return;
			}
			cancelStage();
			ended(judge(AsyncCall.this.driver.limit().exceeded(AsyncCall.this, nanos, null)), null);
		}

		private void stopTimer() {
			Cancellable scheduled = this.timer;
			if (scheduled != null) {
				AsyncCall.this.driver.limit().cancel(scheduled);
			}
		}

		private Outcome judge(Throwable failure) {
			return AsyncCall.this.driver.decider().judge(unwrap(failure), AsyncCall.this);
		}

		private Outcome judgeValue(@Nullable T value) {
			return Outcome.ofValue(AsyncCall.this.driver.decider().judge(value, AsyncCall.this.context), value);
		}

		@SuppressWarnings("NullAway") // the value is a T, which says itself whether it
										// may be null
		private void ended(Outcome outcome, @Nullable T value) {
			CallSteps steps = AsyncCall.this.driver.steps();
			if (!hasStory() && outcome.kind() == AttemptOutcome.SUCCESS) {
				steps.succeededAtOnce(AsyncCall.this, this.permit);
				settle(value);
				return;
			}
			drive(steps.attemptEnded(unlessRepeatable(outcome), this.permit, AsyncCall.this));
		}

		@Override
		public void abandon(boolean cancelled) {
			stopTimer();
			if (cancelled) {
				this.unwanted = true;
				cancelStage();
			}
			String why = cancelled ? "the caller has cancelled the call" : "the caller has completed the call";
			ended(Outcome.ofRefused(AttemptOutcome.CANCELLED, new CancellationException(why),
					new Decision.Stop(StopReason.CANCELLED, why)), null);
		}

		private void cancelStage() {
			CompletionStage<T> cancelled = this.stage;
			if (cancelled == null) {
				return;
			}
			try {
				cancelled.toCompletableFuture().cancel(true);
			}
			catch (Throwable ex) {
				// it goes on, and nobody hears of its end
				keepInterrupt(ex);
			}
		}

	}

	/** A wait: for the timer, then for the executor. */
	private final class Waiting extends Waiter implements UnderWay {

		private volatile @Nullable Cancellable timer;

		void begin(long nanos) {
			if (hasEnded()) {
				// who ended it may have been too early to take it out
				AsyncCall.this.driver.waiting().leave(this);
				return;
			}
			if (nanos <= 0) {
				handOver(Runnable::run);
				return;
			}
			try {
				this.timer = AsyncCall.this.driver.time().schedule(this, nanos);
			}
			catch (Throwable failure) {
				if (claim(this)) {
					Turn stop = AsyncCall.this.driver.steps().waitFailed(failure);
					ended();
					drive(stop);
				}
				return;
			}
			if (hasEnded()) {
				stopTimer();
			}
		}

		private boolean hasEnded() {
			return AsyncCall.this.underWay != this;
		}

		/* On the timer's thread, which runs nothing that was handed in. */
		@Override
		public void run() {
			handOver(AsyncDriver.DEFAULT_EXECUTOR);
		}

		private void handOver(Executor otherwise) {
			try {
				AsyncCall.this.executor.execute(this::wake);
			}
			catch (Throwable failure) {
				if (claim(this)) {
					refused(failure, otherwise);
				}
			}
		}

		private void refused(Throwable failure, Executor otherwise) {
			executeElsewhere(() -> {
				ended();
				drive(new Decision.Stop(StopReason.REJECTED,
						"the executor refused the attempt with " + FailureRules.name(failure), failure));
			}, otherwise);
		}

		/** Go on, after the wait or because of the shutdown, whichever is first. */
		@Override
		void wake() {
			if (claim(this)) {
				ended();
				drive(AsyncCall.this.driver.steps().afterWait(AsyncCall.this));
			}
			else if (AsyncCall.this.underWay instanceof Stopping stopping && stopping.of() == this && claim(stopping)) {
				ended();
				drive(AsyncCall.this.driver.steps().stoppedWaiting());
			}
		}

		@Override
		boolean stop() {
			boolean won = UNDER_WAY.compareAndSet(AsyncCall.this, this, new Stopping(this));
			if (won) {
				execute(this::wake, AsyncDriver.DEFAULT_EXECUTOR);
			}
			return won;
		}

		@Override
		AsyncCall<C, T> call() {
			return AsyncCall.this;
		}

		@Override
		CallSteps steps() {
			return AsyncCall.this.driver.steps();
		}

		@Override
		public void abandon(boolean cancelled) {
			ended();
			drive(new Decision.Stop(StopReason.CANCELLED,
					cancelled ? "the caller has cancelled the call" : "the caller has completed the call"));
		}

		private void ended() {
			stopTimer();
			AsyncCall.this.driver.waiting().leave(this);
			AsyncCall.this.driver.steps().waited();
		}

		private void stopTimer() {
			Cancellable scheduled = this.timer;
			if (scheduled == null) {
				return;
			}
			try {
				scheduled.cancel();
			}
			catch (Throwable ex) {
				AsyncCall.this.driver.listeners().hookFailed("time", ex);
			}
		}

	}

	/**
	 * The end of a wait that an operator has ended, until the executor comes to it.
	 *
	 * @param of still among those that wait, for the shutdown to find
	 */
	private record Stopping(Waiter of) implements UnderWay {

		@Override
		public boolean isAbandonable() {
			return false;
		}

		@Override
		public void abandon(boolean cancelled) {
			throw new IllegalStateException("It ends anyway");
		}

	}

	/** A recovery, which goes on though nobody may want its result. */
	private final class Recovering implements UnderWay, BiConsumer<@Nullable T, @Nullable Throwable> {

		private final Ending ending;

		private final RetriesStoppedException story;

		Recovering(Ending ending, RetriesStoppedException story) {
			this.ending = ending;
			this.story = story;
		}

		@Override
		@SuppressWarnings("NullAway") // the value is a T, which says itself whether it
										// may be null
		public void accept(@Nullable T value, @Nullable Throwable wrapped) {
			if (!claim(this)) {
				return;
			}
			CallSteps steps = AsyncCall.this.driver.steps();
			if (wrapped == null) {
				steps.stopped(this.ending, this.story, RetryEvent.RecoveryOutcome.DONE, null, enclosing());
				settle(value);
				return;
			}
			Throwable failure = unwrap(wrapped);
			steps.recoveryFailed(failure, this.ending, this.story);
			steps.stopped(this.ending, this.story, RetryEvent.RecoveryOutcome.FAILED, failure, enclosing());
			fail(failure);
		}

		@Override
		public boolean isAbandonable() {
			return false;
		}

		@Override
		public void abandon(boolean cancelled) {
			throw new IllegalStateException("A recovery goes on");
		}

	}

	/** One thread that drives the call, and the turn that came up while it did. */
	private static final class Driving {

		/* Null when it has done; racy, but a thread only ever finds itself here. */
		private @Nullable Thread thread;

		private @Nullable Turn next;

		Driving(Thread thread) {
			this.thread = thread;
		}

		private @Nullable Turn next() {
			Turn turn = this.next;
			this.next = null;
			return turn;
		}

	}

}
