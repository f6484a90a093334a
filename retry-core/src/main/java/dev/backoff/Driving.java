package dev.backoff;

import org.jspecify.annotations.Nullable;

/** One thread that drives an asynchronous call. Used by that thread alone. */
final class Driving {

	/* Further out on the thread, of this call or another one. */
	final @Nullable Driving outer;

	private @Nullable UnderWay begun;

	private @Nullable Decision next;

	Driving(@Nullable Driving outer) {
		this.outer = outer;
	}

	/** Note what the thread is about to begin. */
	void begins(UnderWay begun) {
		this.begun = begun;
	}

	/** Return the driving on this thread that is beginning the given object, or null. */
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
