package dev.backoff.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.backoff.Attempt;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.time.RetryTime;

/**
 * One call and its attempt: what it has done, and whether it is busy. Changed under the
 * lock of the clock.
 */
final class Recording extends Work implements CallObserver.ObservedCall, CallObserver.ObservedAttempt {

	@SuppressWarnings("ThreadLocalUsage") // of all clocks
	private static final ThreadLocal<@Nullable Recording> INNERMOST = new ThreadLocal<>();

	private static final Set<DelaySource> QUEUES = Set.of(DelaySource.CONCURRENCY, DelaySource.PACE);

	final String policy;

	/* The key under which it is stored, or null. */
	final @Nullable String key;

	/* What it was, once it has ended. */
	@Nullable RecordedCall ended;

	private final String method;

	private final Agenda agenda;

	private final RetryTime time;

	private final long began;

	private final List<RecordedCall.Attempt> attempts = new ArrayList<>();

	private final List<RecordedCall.Wait> waits = new ArrayList<>();

	/* The call around it. */
	@Nullable Recording enclosing;

	/* The turn of the call around it that this one belongs to. */
	private int turnAround;

	private boolean told;

	private boolean asynchronous;

	/* Grows when an attempt begins and when it ends. */
	int turn;

	/* Entries in the agenda, and calls inside that have not ended, of this turn. */
	private int pauses;

	/* Whether a timeout of this turn has been taken out of the agenda. */
	private boolean timedOut;

	/* Whether it has told of a wait that has not begun. */
	private boolean waiting;

	/* For what it waits in a queue, whatever wakes it meanwhile, or null. */
	private @Nullable DelaySource queue;

	/* Whether it has told of an attempt whose work has not begun. */
	private boolean starting;

	/* What starts its asynchronous attempt. */
	private Agenda.@Nullable Here starter;

	private @Nullable Attempt attempt;

	/* Whether a fault has taken the place of the attempt's work. */
	private volatile boolean replaced;

	Recording(String policy, String method, @Nullable String key, Agenda agenda, RetryTime time) {
		super(method + " (policy " + policy + ")");
		this.policy = policy;
		this.method = method;
		this.key = key;
		this.agenda = agenda;
		this.time = time;
		this.began = time.nanoTime();
	}

	/** Note that a fault takes the place of the work of the attempt on this thread. */
	static void workIsReplaced() {
		Recording innermost = INNERMOST.get();
		if (innermost != null) {
			innermost.replaced = true;
		}
	}

	/** Return what is recorded. */
	RecordedCall call() {
		return this.agenda.clock.get(() -> call(null, RecoveryOutcome.NONE, null));
	}

	private RecordedCall call(@Nullable StopReason stop, RecoveryOutcome recovery, @Nullable Throwable thrown) {
		return (this.ended != null) ? this.ended : new RecordedCall(this.policy, this.method, this.attempts, this.waits,
				stop, recovery, thrown, elapsed());
	}

	private Duration elapsed() {
		return Duration.ofNanos(this.time.nanoTime() - this.began);
	}

	@Override
	boolean isBusy() {
		boolean works = this.key == null || this.thread != null;
		return this.ended == null
				&& (this.timedOut || (works && this.pauses == 0) || (this.starter != null && this.starter.waits == 0));
	}

	boolean isWithin(Recording call) {
		return this == call || (this.enclosing != null && this.enclosing.isWithin(call));
	}

	/**
	 * Note that an entry has been put into the agenda or taken out, or that a call inside
	 * has begun or ended. Those of an earlier turn no longer count.
	 */
	void pauses(int turn, int times) {
		if (turn == this.turn) {
			this.pauses += times;
			this.timedOut = false;
			goesOn();
		}
	}

	/** Note that a timeout of the given turn has been taken out of the agenda. */
	void timedOut(int turn) {
		if (turn == this.turn && this.ended == null) {
			this.timedOut = true;
			waitAgain();
		}
	}

	/** Return whether its wait begins now, of which it has told. */
	boolean waits() {
		boolean waits = this.waiting;
		this.waiting = false;
		return waits;
	}

	private void nextTurn() {
		this.turn++;
		this.pauses = 0;
		this.waiting = false;
	}

	/* How long that wait is, is known at its end. */
	private void leaveQueue() {
		if (this.queue != null) {
			RecordedCall.Wait wait = this.waits.remove(this.waits.size() - 1);
			this.waits
				.add(new RecordedCall.Wait(wait.attempt(), wait.began(), elapsed().minus(wait.began()), wait.source()));
			this.queue = null;
		}
	}

	@Override
	public void isInside(CallObserver.ObservedCall around) {
		if (this.enclosing == null && around instanceof Recording call && call.agenda == this.agenda) {
			this.enclosing = call;
		}
	}

	@Override
	public void isAsynchronous() {
		this.asynchronous = true;
	}

	/* In its first scope, that of its work, the attempt is that of the thread. */
	@Override
	public CallObserver.Scope open() {
		Recording innermost = INNERMOST.get();
		INNERMOST.set(this);
		Agenda.Here here = this.agenda.here();
		Recording around = here.open;
		int leaves = this.starting ? 1 : 0;
		this.agenda.clock.locked(() -> {
			this.attempt = this.starting ? Attempt.current() : this.attempt;
			this.starter = (this.starting && this.asynchronous) ? here : this.starter;
			this.starting = false;
			this.thread = here.thread;
			here.open = this;
			here.leaves(leaves);
		});
		return () -> {
			INNERMOST.set(innermost);
			this.agenda.clock.locked(() -> {
				here.leaves(-leaves);
				here.open = around;
				// the timeout of an attempt may come after calls inside
				here.latest = this;
				this.thread = (this.thread == here.thread) ? null : this.thread;
				this.starter = (this.starter == here) ? null : this.starter;
			});
		};
	}

	@Override
	public CallObserver.ObservedAttempt attemptBegins(int number) {
		tells(() -> {
			leaveQueue();
			this.attempts.add(new RecordedCall.Attempt(null, null, elapsed(), elapsed(), null, false));
			this.replaced = false;
			this.starting = true;
			nextTurn();
		});
		return this;
	}

	@Override
	public void ends(AttemptOutcome outcome, @Nullable Throwable failure) {
		tells(() -> {
			int last = this.attempts.size() - 1;
			Duration started = this.attempts.get(last).started();
			String key = (this.attempt != null) ? this.attempt.usedIdempotencyKey() : null;
			this.attempts.set(last, new RecordedCall.Attempt(outcome, failure, started, elapsed(), key, this.replaced));
			this.starting = false;
			this.attempt = null;
			nextTurn();
		});
	}

	@Override
	public void waitBegins(DelaySource source, long nanos) {
		tells(() -> {
			if (this.queue != source) {
				leaveQueue();
				this.waits.add(new RecordedCall.Wait(this.attempts.size(), elapsed(), Duration.ofNanos(nanos), source));
			}
			this.queue = QUEUES.contains(source) ? source : null;
			this.waiting = this.key == null && (nanos > 0 || this.queue != null);
		});
	}

	@Override
	public void ends(StopReason reason, int attempts, RecoveryOutcome recovery, @Nullable Throwable thrown) {
		tells(() -> {
			leaveQueue();
			this.waiting = false;
			end(call(reason, recovery, thrown));
		});
	}

	/** Note that it has been removed from the store. */
	void forgotten() {
		this.agenda.clock.locked(() -> end(call(null, RecoveryOutcome.NONE, null)));
	}

	private void end(RecordedCall ended) {
		this.ended = ended;
		this.agenda.calls.remove(this);
		if (this.enclosing != null) {
			this.enclosing.pauses(this.turnAround, -1);
		}
	}

	private void tells(Runnable change) {
		Agenda.Here here = this.agenda.here();
		this.agenda.clock.locked(() -> {
			if (!this.told) {
				firstTells(here);
			}
			here.latest = this;
			this.timedOut = false;
			goesOn();
			change.run();
		});
	}

	/* A recovery is inside no attempt; the call whose work runs here is around it. */
	private void firstTells(Agenda.Here here) {
		this.told = true;
		this.enclosing = (this.enclosing == null && this.key == null) ? here.open : this.enclosing;
		if (this.enclosing != null) {
			this.turnAround = this.enclosing.turn;
			this.enclosing.pauses(this.turnAround, 1);
		}
		else {
			this.agenda.begun++;
		}
	}

}
