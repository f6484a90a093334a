package dev.backoff;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * Count the calls that run, so that a shutdown can give them time to finish. A call runs
 * from its start to the end of its recovery; a call inside another one counts too. Only
 * the calls of retries {@linkplain Retry.Builder#runningCalls(RunningCalls) built with
 * this} count. Shared by the retries of one application; thread-safe.
 *
 * @since 0.1
 */
public final class RunningCalls {

	private final AtomicLong running = new AtomicLong();

	private final AtomicReference<@Nullable Runnable> whenNone = new AtomicReference<>();

	/**
	 * Count from zero.
	 */
	public RunningCalls() {
	}

	void enter() {
		this.running.incrementAndGet();
	}

	void leave() {
		if (this.running.decrementAndGet() == 0) {
			tell();
		}
	}

	/**
	 * {@return how many calls run; zero or more}
	 */
	public long count() {
		return this.running.get();
	}

	/**
	 * Run an action once when no call runs: now, or on the thread of the last call. More
	 * calls may begin meanwhile.
	 * @param action what to run, which should be quick and throws nothing; it takes the
	 * place of one that has not run
	 */
	public void whenNone(Runnable action) {
		this.whenNone.set(action);
		// read after the action can be seen, or the last call might miss it
		if (this.running.get() == 0) {
			tell();
		}
	}

	private void tell() {
		Runnable action = this.whenNone.getAndSet(null);
		if (action != null) {
			action.run();
		}
	}

	@Override
	public String toString() {
		return "RunningCalls (" + count() + ")";
	}

}
