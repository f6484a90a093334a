package dev.backoff.test;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.CallObserver;
import dev.backoff.time.RetryTime;

/**
 * The calls for which a clock stands. All but {@link #callBegins} is called under the
 * lock of the clock.
 */
final class BusyCalls implements CallObserver {

	/*
	 * A call is busy while it has no pause: one for its wait, one for each thread on
	 * which its attempt sleeps, one for each call inside that has not ended. A thread may
	 * go on after it has started an asynchronous call inside. Nothing tells when it
	 * begins to wait for that call, so its state is looked at from time to time.
	 *
	 * A task that is due may start work that nothing announces. The clock then stands
	 * until any call goes on.
	 *
	 * A call that is kept elsewhere is busy within its attempts only. Before and after
	 * them, its keeper tells whether it is at work.
	 */

	private static final long LOOK_AGAIN = 50_000L;

	/*
	 * Patience is for calls, not for the machine. So much real time between two looks
	 * counts at most, and a process that gets no processor loses little of it.
	 */
	static final long LONGEST_LOOK = 10_000_000L;

	/* The innermost call whose work runs on the thread. */
	@SuppressWarnings("ThreadLocalUsage") // each clock has its own calls
	final ThreadLocal<@Nullable Recording> open = new ThreadLocal<>();

	/* The call of which the thread has told last that an attempt or a wait begins. */
	@SuppressWarnings("ThreadLocalUsage") // each clock has its own calls
	final ThreadLocal<@Nullable Recording> latest = new ThreadLocal<>();

	final VirtualTime clock;

	private final RetryTime time;

	/* How many have begun that are not inside others. */
	int begun;

	/* Those that have not ended. */
	private final Set<Recording> calls = new LinkedHashSet<>();

	/* The real time that counts, and the system's ticker when it was looked at last. */
	private long counted;

	private long looked = System.nanoTime();

	/* Whether unknown work may have begun, and since when, by the time that counts. */
	private boolean disturbed;

	private long since;

	/* Whether the keepers of calls are at work. */
	final Set<BooleanSupplier> keepers = new LinkedHashSet<>();

	/* For how long the clock has stood for calls since none was busy, and until when. */
	private long stood;

	private long stoodUntil;

	/** Tell a clock of calls that have the given time, most often the clock itself. */
	BusyCalls(VirtualTime clock, RetryTime time) {
		this.clock = clock;
		this.time = time;
	}

	@Override
	public Recording callBegins(String policy, String method) {
		return begin(policy, method, null);
	}

	Recording begin(String policy, String method, @Nullable String key) {
		Recording[] begun = new Recording[1];
		// reads the time, which must not go on before it is known
		this.clock.locked(() -> {
			Recording call = new Recording(policy, method, key, (key == null) ? this.open.get() : null, this,
					this.time);
			this.begun += (call.enclosing == null) ? 1 : 0;
			goesOn(call.enclosing, 1);
			goesOn(call, 0);
			begun[0] = call;
		});
		return begun[0];
	}

	/** Note that a call goes on, with more or fewer pauses; null is work of no call. */
	void goesOn(@Nullable Recording call, int pauses) {
		this.disturbed = false;
		if (call == null) {
			return;
		}
		call.pauses += pauses;
		call.since = counted();
		if (call.ended != null) {
			this.calls.remove(call);
		}
		else {
			this.calls.add(call);
		}
	}

	private long counted() {
		long now = System.nanoTime();
		this.counted += Math.min(now - this.looked, LONGEST_LOOK);
		this.looked = now;
		return this.counted;
	}

	/** Note that unknown work may begin. */
	void disturb() {
		this.disturbed = true;
		this.stood = 0;
		this.since = counted();
	}

	/** Forget all calls until they go on. */
	void clear() {
		this.calls.clear();
		this.disturbed = false;
	}

	boolean isEmpty() {
		return this.calls.isEmpty();
	}

	/**
	 * Return for how long calls still hold the clock if none goes on, in nanoseconds of
	 * real time; zero or less if none holds it.
	 */
	long busyFor(long patience) {
		if (this.keepers.stream().anyMatch(BooleanSupplier::getAsBoolean)) {
			this.disturbed = false;
			return LOOK_AGAIN;
		}
		long longest = this.disturbed ? patience - (counted() - this.since) : 0;
		for (Recording call : this.calls) {
			longest = Math.max(longest, busyFor(call, patience));
		}
		return longest;
	}

	/** Return for how long a call still holds the clock if it does not go on. */
	long busyFor(Recording call, long patience) {
		long left = patience - (counted() - call.since);
		Thread thread = call.thread;
		return call.isBusy() ? left : (thread != null && this.clock.isWorking(thread)) ? Math.min(LOOK_AGAIN, left) : 0;
	}

	/** Return for how long the clock has stood for calls since none was busy. */
	long stood(boolean busy, boolean stands) {
		long now = counted();
		this.stood = !busy ? 0 : stands ? this.stood + now - this.stoodUntil : this.stood;
		this.stoodUntil = now;
		return this.stood;
	}

	/** Return a known call that is busy, the given one or one inside it, or null. */
	@Nullable Recording busyWithin(Recording call) {
		return this.calls.stream().filter((busy) -> busy.isBusy() && busy.isWithin(call)).findFirst().orElse(null);
	}

	/** Return a known call that is busy, or null. */
	@Nullable Recording anyBusy() {
		for (Recording call : this.calls) {
			if (call.isBusy()) {
				return call;
			}
		}
		return null;
	}

}
