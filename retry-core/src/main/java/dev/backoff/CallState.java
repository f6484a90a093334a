package dev.backoff;

import java.net.URI;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import dev.backoff.concurrency.Ticket;
import dev.backoff.event.CallObserver;
import dev.backoff.pace.Pace;
import dev.backoff.time.Nanos;

/**
 * The state of one call: which attempt, since when, until when, and how the last attempt
 * ended.
 * <p>
 * A blocking call borrows its instance from the {@link CallStack} of its thread and gives
 * it back {@linkplain #clear() cleared}, so that a call which succeeds at once allocates
 * nothing. An asynchronous call has its own, and very many of them may wait: state that
 * few calls need is in objects that are made when they are needed. Used by one thread at
 * a time.
 */
final class CallState {

	/* After an unescaped slash in a password, the authority ends in a part of it. */
	private static final Pattern HOST = Pattern.compile("(\\[[^]]+]|[\\p{L}\\p{N}._-]+)(:\\d+)?");

	private final @Nullable CallState enclosing;

	@Nullable CallState inner;

	private CallSettings settings = CallSettings.NONE;

	private long started;

	private long limit = Nanos.UNLIMITED;

	/* 0 before the call has begun, and when it has given back what it held. */
	int attempt;

	/* The reading at the start of the running attempt, or at the end of the wait. */
	long attemptStart;

	/* Which call of the enclosing attempt this is, counted from 1. */
	int ordinal;

	private int innerCalls;

	/* Whether it has a permit of the concurrency limit that it has not given back. */
	boolean holdsPermit;

	/* Where the attempt has sent its last request, if that is known. */
	@Nullable URI requested;

	/* While the call waits for a permit, or where it was refused one. */
	@Nullable Ticket ticket;

	private @Nullable AttemptHistory history;

	private @Nullable AttemptContext context;

	CallState(@Nullable CallState enclosing) {
		this.enclosing = enclosing;
	}

	/** Begin at the given reading, bounded by the policy and the enclosing call. */
	@SuppressWarnings("ReferenceEquality") // each retry has one
	void begin(CallSettings settings, long now) {
		// in an old object a reference costs more to write than to read
		if (this.settings != settings) {
			this.settings = settings;
		}
		this.started = now;
		this.limit = settings.policy().deadlineNanos();
		if (this.enclosing != null && this.enclosing.isRunning()) {
			this.ordinal = this.enclosing.nextInnerCall();
			if (this.enclosing.isLimited()) {
				this.limit = Math.min(this.limit, this.enclosing.attemptTimeLeft());
			}
		}
		this.attempt = 1;
		this.attemptStart = now;
		this.innerCalls = 0;
	}

	/** Go on with a stored call, with its next attempt. */
	void resume(CallSettings settings, ResumedCall stored, long now) {
		begin(settings, now);
		long elapsed = Nanos.of(stored.elapsed());
		this.started = now - elapsed;
		long left = (stored.timeLeft() != null) ? Nanos.of(stored.timeLeft()) : Nanos.UNLIMITED;
		this.limit = (left < 0) ? Math.max(0, elapsed + left) : Nanos.plus(elapsed, left);
		this.attempt = stored.attempts() + 1;
		this.history = new AttemptHistory(stored);
		context().storedAs(stored);
	}

	/** Return a call within another that stands for an attempt or deadline elsewhere. */
	static CallState adopting(SharedAttempt shared, @Nullable CallState enclosing) {
		CallState call = new CallState(enclosing);
		call.settings = shared.settings();
		call.started = shared.started();
		call.limit = shared.limit();
		call.attempt = shared.attempt();
		call.attemptStart = shared.attemptStart();
		CallState around = call.around();
		if (around != null && around.isLimited()) {
			call.tighten(Math.max(0, around.attemptTimeLeft()));
		}
		call.context().adopt(shared);
		return call;
	}

	/** Return the attempt or the deadline elsewhere for which this stands, or null. */
	@Nullable SharedAttempt shared() {
		return (this.context != null) ? this.context.shared : null;
	}

	/** Return whether this stands for the attempt of a call that began elsewhere. */
	boolean isAdoptedFrom(CallState call) {
		return this.context != null && call.context != null && this.context.isAdoptedFrom(call.context);
	}

	/** Bound the call by the given time from now. */
	void tighten(long nanos) {
		this.limit = Math.min(this.limit, Nanos.plus(elapsed(now()), nanos));
	}

	CallObserver.@Nullable ObservedCall observed() {
		return (this.context != null) ? this.context.observed : null;
	}

	/** Begin to observe the attempt, if the call is observed. */
	CallObserver.@Nullable Observed observeAttempt() {
		return (this.context != null) ? this.context.observeAttempt() : null;
	}

	/** Return the observed attempt that has ended, the first time it is asked for. */
	CallObserver.@Nullable ObservedAttempt takeObservedAttempt() {
		return (this.context != null) ? this.context.takeObservedAttempt() : null;
	}

	/** Return the pace for whose turn the call waits, or null. */
	@Nullable Pace awaitedPace() {
		return (this.ticket != null && this.ticket.limit() != this.settings.limit()) ? this.settings.pace() : null;
	}

	/** Leave the queue, or give the permit back that was granted there. */
	void leaveQueue() {
		if (this.ticket != null) {
			this.ticket.leave();
			this.ticket = null;
		}
	}

	void beginNext(long now) {
		this.attempt = (this.attempt < Integer.MAX_VALUE) ? this.attempt + 1 : Integer.MAX_VALUE;
		this.attemptStart = now;
		this.innerCalls = 0;
		this.requested = null;
		history().postponed = 0;
		if (this.context != null) {
			this.context.attemptBegins();
		}
	}

	/** Give back the permits that the attempt holds. The second time does nothing. */
	void attemptEnded() {
		if (this.context != null) {
			this.context.attemptEnded();
		}
		if (this.holdsPermit && this.settings.limit() != null) {
			this.settings.limit().release();
			this.holdsPermit = false;
		}
	}

	/* With the permit of the breaker given back, give back that of the limit. */
	void permitGivenBack() {
		if (this.context != null) {
			this.context.probe = null;
		}
		attemptEnded();
	}

	/** Give back the permits of the attempt and the place in the queue. */
	void giveBack() {
		attemptEnded();
		leaveQueue();
	}

	void clear() {
		if (this.holdsPermit || this.ticket != null || this.context != null) {
			giveBack();
			this.context = null;
		}
		this.attempt = 0;
		this.limit = Nanos.UNLIMITED;
		this.requested = null;
		if (this.history != null) {
			this.history = null;
		}
	}

	/** Return host and port of a request, without a user's password. */
	static @Nullable String host(@Nullable URI uri) {
		String authority = (uri != null) ? uri.getRawAuthority() : null;
		String host = (authority != null) ? authority.substring(authority.lastIndexOf('@') + 1) : "";
		return HOST.matcher(host).matches() ? host : null;
	}

	boolean isRunning() {
		return this.attempt > 0;
	}

	CallSettings settings() {
		return this.settings;
	}

	long started() {
		return this.started;
	}

	/** Return whether an attempt was not good enough, or the call has waited. */
	boolean hasHistory() {
		return this.history != null;
	}

	AttemptHistory history() {
		if (this.history == null) {
			this.history = new AttemptHistory();
		}
		return this.history;
	}

	/** Return how the last attempt here ended, or null before that. */
	@Nullable Outcome lastOutcome() {
		return (this.history != null) ? this.history.lastOutcome : null;
	}

	@Nullable Throwable previousFailure() {
		Outcome last = lastOutcome();
		if (last != null) {
			return last.failure();
		}
		SharedAttempt elsewhere = shared();
		return (elsewhere != null) ? elsewhere.previousFailure() : null;
	}

	AttemptContext context() {
		if (this.context == null) {
			this.context = new AttemptContext(this);
		}
		return this.context;
	}

	@Nullable AttemptContext contextIfAny() {
		return this.context;
	}

	/** Return the time since the start, zero if the ticker has stepped back. */
	long elapsed(long now) {
		return Math.max(0, now - this.started);
	}

	/** Return the time until the deadline, negative after it. */
	long timeLeft(long now) {
		return (this.limit == Nanos.UNLIMITED) ? Nanos.UNLIMITED : this.limit - elapsed(now);
	}

	/** Return the time until the running attempt has to end, negative after it. */
	long attemptTimeLeft() {
		return isLimited() ? attemptLimit() - elapsed(now()) : Nanos.UNLIMITED;
	}

	/** Return how long the running attempt may take from its start. */
	long attemptTimeout() {
		return attemptLimit() - elapsed(this.attemptStart);
	}

	private boolean isLimited() {
		return this.limit != Nanos.UNLIMITED || this.settings.policy().attemptTimeoutNanos() != Nanos.UNLIMITED;
	}

	/** Return from the start of the call the deadline, or the attempt's end if sooner. */
	long attemptLimit() {
		return Math.min(this.limit,
				Nanos.plus(elapsed(this.attemptStart), this.settings.policy().attemptTimeoutNanos()));
	}

	long now() {
		return this.settings.time().nanoTime();
	}

	private int nextInnerCall() {
		SharedAttempt elsewhere = shared();
		return (elsewhere != null) ? elsewhere.innerCalls().incrementAndGet() : ++this.innerCalls;
	}

	/** Return whether an attempt runs, and not only a deadline from outside. */
	boolean isAttempt() {
		SharedAttempt elsewhere = shared();
		return elsewhere == null || elsewhere.key() != null;
	}

	@Nullable CallState enclosing() {
		return this.enclosing;
	}

	/** Return the running call around this one, or null. */
	@Nullable CallState around() {
		return (this.enclosing != null && this.enclosing.isRunning()) ? this.enclosing : null;
	}

	/** Return the call for one level further inside, made once and used again. */
	CallState inner() {
		if (this.inner == null) {
			this.inner = new CallState(this);
		}
		return this.inner;
	}

}
