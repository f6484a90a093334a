package dev.backoff;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * The calls that are running on one thread, innermost on top.
 * <p>
 * A thread keeps its stack and the {@link CallState}s on it from call to call and clears
 * them after use. Setting and removing a thread local for each call would cost more than
 * everything else in a call that succeeds at once.
 */
final class CallStack {

	/*
	 * A weak reference, since threads outlive applications and must not keep the classes
	 * of one that has ended. A running call and an open scope hold the stack, so that it
	 * is only collected between calls.
	 */
	private static final ThreadLocal<@Nullable Reference<CallStack>> STACKS = new ThreadLocal<>();

	/*
	 * Calls that a stack overflow has cut off, which may hold permits: by the place of
	 * their stack, the last one, and inside each the one before. What puts them here
	 * neither calls a method nor enters a monitor, since both may overflow again. It
	 * leaves out what has been settled, so that nothing else has to take it out.
	 */
	static final @Nullable CallState[] CUT_OFF = new CallState[256];

	/* Whether a call may be there that is not settled. */
	static volatile boolean owing;

	private static volatile boolean settling;

	private static final AtomicInteger NUMBER = new AtomicInteger();

	final int place = NUMBER.getAndIncrement() & (CUT_OFF.length - 1);

	CallState top = new CallState(null);

	/* Of the innermost running attempt with a timeout. */
	@Nullable Interruption interruption;

	/* Of the innermost asynchronous call that the thread drives. */
	@Nullable Driving driving;

	/* Calls that go on when the one that goes on now has returned; null if none does. */
	private @Nullable Queue<Runnable> serving;

	static CallStack ofThread() {
		Reference<CallStack> known = STACKS.get();
		CallStack stack = (known != null) ? known.get() : null;
		return (stack != null) ? stack : first();
	}

	private static CallStack first() {
		CallStack stack = new CallStack();
		STACKS.set(new WeakReference<>(stack));
		return stack;
	}

	/** Give back what the calls hold that were cut off, on whatever thread. */
	static void settle() {
		if (!owing) {
			return;
		}
		synchronized (CUT_OFF) {
			if (settling) {
				return;
			}
			settling = true;
		}
		boolean settled = false;
		try {
			owing = false;
			for (CallState last : CUT_OFF) {
				for (CallState call = last; call != null; call = call.inner) {
					call.clear();
				}
			}
			settled = true;
		}
		finally {
			settling = false;
			if (!settled) {
				owing = true;
			}
		}
	}

	CallState push() {
		if (this.top.inner == null) {
			settle();
		}
		CallState call = this.top.inner();
		this.top = call;
		return call;
	}

	/**
	 * Run work with a call on top that belongs to no thread. The work sees that call and
	 * no other of this thread.
	 */
	<R extends @Nullable Object, X extends Throwable> R within(CallState call, Operation<R, X> work) throws X {
		CallState outer = this.top;
		this.top = call;
		try {
			return work.run();
		}
		finally {
			this.top = outer;
			leaveTo(outer);
		}
	}

	/** Put an attempt or a deadline from elsewhere around the calls to come. */
	CallState adopt(SharedAttempt shared, long timeLeft) {
		leaveTo(this.top);
		CallState adopted = CallState.adopting(shared, this.top);
		adopted.tighten(timeLeft);
		this.top = adopted;
		return adopted;
	}

	/** Take an adopted call away with all inside. On another thread it only ends. */
	void abandon(CallState adopted) {
		if (CallStack.ofThread() == this && contains(adopted)) {
			leaveTo(adopted.enclosing());
		}
		adopted.clear();
	}

	/** Take away the calls on top that stand for the last attempt of an ended call. */
	void abandonAdopted(CallState ended) {
		while (this.top.isAdoptedFrom(ended)) {
			CallState adopted = this.top;
			adopted.clear();
			leaveTo(adopted.enclosing());
		}
	}

	/** Hide the running calls from the calls to come, until closed. */
	RetryContext.Scope conceal() {
		CallState concealed = this.top;
		CallState bottom = new CallState(null);
		this.top = bottom;
		return () -> {
			// another thread has nothing to close
			if (CallStack.ofThread() == this && contains(bottom)) {
				leaveTo(concealed);
			}
		};
	}

	void pop(CallState call) {
		call.clear();
		leaveTo(call.enclosing());
	}

	/* A call that was closed out of order, or on another thread, has ended: leave it. */
	private void leaveTo(@Nullable CallState outer) {
		CallState call = outer;
		while (call != null && !call.isRunning() && call.enclosing() != null) {
			call = call.enclosing();
		}
		if (call != null) {
			this.top = call;
		}
	}

	private boolean contains(CallState wanted) {
		for (CallState call = this.top; call != null; call = call.enclosing()) {
			if (call == wanted) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Let a call go on that has its permit now. An executor may run it on this thread,
	 * where its end serves the next one: that goes on after it, so that the stack stays
	 * flat.
	 */
	void serve(Runnable call) {
		if (this.serving != null) {
			this.serving.add(call);
			return;
		}
		Queue<Runnable> serving = new ArrayDeque<>();
		this.serving = serving;
		try {
			for (Runnable next = call; next != null; next = serving.poll()) {
				next.run();
			}
		}
		finally {
			this.serving = null;
		}
	}

	@Nullable CallState running() {
		return this.top.isRunning() ? this.top : null;
	}

	/** One thread that drives an asynchronous call. Used by that thread alone. */
	static final class Driving {

		/* Further out on the thread, of this call or another one. */
		final @Nullable Driving outer;

		/* What the thread is about to begin. */
		@Nullable UnderWay begun;

		/*
		 * Whether the call is the thread's: nothing is under way, and no other drives it.
		 */
		boolean owning = true;

		private @Nullable Decision next;

		Driving(@Nullable Driving outer) {
			this.outer = outer;
		}

		/** Return the driving on this thread that begins the given object, or null. */
		static @Nullable Driving beginning(UnderWay begun, @Nullable Driving innermost) {
			Driving driving = innermost;
			while (driving != null && driving.begun != begun) {
				driving = driving.outer;
			}
			return driving;
		}

		/** Let the call go on when the thread has come back here. */
		void goOnWith(Decision decision) {
			this.next = decision;
		}

		/** Return what has been decided meanwhile, or null. */
		@Nullable Decision next() {
			Decision decision = this.next;
			this.next = null;
			return decision;
		}

		/** What a call has under way: an attempt, a wait or a recovery. It ends once. */
		interface UnderWay {

		}

		/** Ends when the caller completes or cancels the result. */
		interface Abandonable extends UnderWay {

			/** End it, after it has been taken out of the call. */
			void abandon(boolean cancelled);

		}

	}

}
