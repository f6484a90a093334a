package dev.backoff.test;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.backoff.RetryContext;
import dev.backoff.time.RetryTime;

/**
 * What the clock stands for. All but {@link #begin} is called under the lock of the
 * clock.
 */
final class CallsAtWork {

	/*
	 * A call works from its beginning to its end, except while an entry of its own stands
	 * in the agenda (a delay, a place in a queue, a sleep of its attempt) and while a
	 * call inside its attempt has not ended. An asynchronous attempt also works until its
	 * start has returned, unless the thread that starts it waits in virtual time. A call
	 * whose timeout has been taken out of the agenda works until it goes on. A call that
	 * is kept elsewhere works within its attempts only; its keeper tells the rest.
	 *
	 * A task that is due works until it has returned, except while it makes an attempt or
	 * waits in virtual time.
	 */

	@SuppressWarnings("ThreadLocalUsage") // each clock has its own calls
	private final ThreadLocal<Here> heres = ThreadLocal.withInitial(Here::new);

	final VirtualTime clock;

	/* How many have begun that are not inside others. */
	int begun;

	/* Those that have not ended. */
	private final Set<Recording> calls = new LinkedHashSet<>();

	private final Set<Work> tasks = new LinkedHashSet<>();

	final Work keeper = new Work("The keeper of stored calls");

	CallsAtWork(VirtualTime clock) {
		this.clock = clock;
	}

	Recording begin(String policy, String method, @Nullable String key, RetryTime time) {
		// reads the time, which must not go on before it is known
		return this.clock.get(() -> {
			Recording begun = new Recording(policy, method, key, this, time);
			this.calls.add(begun);
			return begun;
		});
	}

	Here here() {
		return this.heres.get();
	}

	/** Return the call whose work runs on this thread, or null. */
	@Nullable Recording workingHere() {
		Here here = here();
		if (here.open != null) {
			return here.open;
		}
		Recording probe = new Recording("", "", null, this, this.clock);
		RetryContext.tellAround(probe);
		return probe.enclosing();
	}

	void ended(Recording call) {
		this.calls.remove(call);
	}

	/** Forget all calls: none of them is waited for any more. */
	void clear() {
		this.calls.clear();
	}

	Work taskBegins() {
		Work task = new Work("A task that is due");
		task.busy(1);
		this.tasks.add(task);
		return task;
	}

	void taskEnds(Work task) {
		this.tasks.remove(task);
	}

	boolean isTaskAtWork() {
		return this.tasks.stream().anyMatch(Work::holdsTheClock);
	}

	/** Return what holds the clock, or null. */
	@Nullable Work atWork() {
		for (Work work : this.calls) {
			if (work.holdsTheClock()) {
				return work;
			}
		}
		return this.keeper.holdsTheClock() ? this.keeper : null;
	}

	/** Return a call that has not ended and is busy, whether it is waited for or not. */
	@Nullable Recording busy() {
		return this.calls.stream().filter(Work::isBusy).findFirst().orElse(null);
	}

	/** Return the calls that are busy, of the given one and those inside it. */
	List<Recording> busyWithin(Recording call) {
		return this.calls.stream().filter((busy) -> busy.isBusy() && busy.isWithin(call)).toList();
	}

	/** Count real time, and return what has worked for too long, now passed over. */
	List<Work> passOver(long nanos, long patience) {
		List<Work> all = new ArrayList<>(this.calls);
		all.addAll(this.tasks);
		all.add(this.keeper);
		return all.stream().filter((work) -> work.passesOver(nanos, patience)).toList();
	}

	/** What a thread does. */
	static final class Here {

		final Thread thread = Thread.currentThread();

		/* The innermost call whose work runs here. */
		@Nullable Recording open;

		/* The call that has told last here that an attempt or a wait begins. */
		@Nullable Recording latest;

		@Nullable Work task;

		/* How often it waits in virtual time. */
		int waits;

		/** Note that the task here makes an attempt or waits, or has done with it. */
		void leaves(int times) {
			if (this.task != null) {
				this.task.busy(-times);
			}
		}

		/** Note that the thread waits in virtual time, or has done with it. */
		void waits(int times) {
			this.waits += times;
			leaves(times);
		}

	}

}
