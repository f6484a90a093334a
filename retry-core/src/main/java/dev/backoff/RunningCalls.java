package dev.backoff;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Count the calls that run, so that a shutdown can give them time to finish. A call runs
 * from its start to the end of its recovery; a call inside another one counts too. Only
 * the calls of retries {@linkplain RetryBuilder#runningCalls(RunningCalls) built with
 * this} count. Attempts are also listed, but only those of policies with a deadline or an
 * attempt timeout. Shared by the retries of one application; thread-safe.
 *
 * @since 0.1
 */
public final class RunningCalls {

	private final AtomicLong running = new AtomicLong();

	private final AtomicReference<@Nullable Runnable> whenNone = new AtomicReference<>();

	private final Set<Listed> listed = ConcurrentHashMap.newKeySet();

	/** Count from zero. */
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

	/** List an attempt on this thread, until it is taken out. */
	Listed add(CallState call) {
		Listed attempt = new OnThread(call, call.attempt(), call.attemptStart(), Thread.currentThread());
		add(attempt);
		return attempt;
	}

	void add(Listed attempt) {
		this.listed.add(attempt);
	}

	void remove(Listed attempt) {
		this.listed.remove(attempt);
	}

	/**
	 * {@return the attempts that have run longest, of policies with a deadline or an
	 * attempt timeout, the oldest first}
	 * @param policy whose attempts, or null for all
	 * @param most how many at most
	 */
	public List<RunningAttempt> oldest(@Nullable String policy, int most) {
		return this.listed.stream()
			.flatMap((attempt) -> Stream.ofNullable(attempt.now()))
			.filter((attempt) -> policy == null || attempt.policy().equals(policy))
			.sorted(Comparator.comparing(RunningAttempt::elapsed).reversed())
			.limit(most)
			.toList();
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

	/** Is listed while it may run an attempt. */
	interface Listed {

		/** Return the attempt that runs now, or null. */
		@Nullable RunningAttempt now();

	}

	/* As it began, since a call is read on its own thread only. */
	private record OnThread(CallState call, int attempt, long began, Thread thread) implements Listed {

		@Override
		public RunningAttempt now() {
			return RunningAttempt.of(this.call.settings(), this.attempt, this.began, this.thread.getName());
		}

	}

	/**
	 * A snapshot of an attempt that runs. Immutable and thread-safe.
	 *
	 * @param policy the policy's name
	 * @param method the method, or the label of a programmatic call
	 * @param attempt the attempt, counted from 1
	 * @param elapsed how long ago the attempt began
	 * @param thread the name of the thread on which it runs, or null for an asynchronous
	 * one
	 * @since 0.1
	 */
	public record RunningAttempt(String policy, String method, int attempt, Duration elapsed, @Nullable String thread) {

		static RunningAttempt of(CallSettings settings, int attempt, long began, @Nullable String thread) {
			Duration elapsed = Duration.ofNanos(Math.max(0, settings.time().nanoTime() - began));
			return new RunningAttempt(settings.policy().name(), settings.method(), attempt, elapsed, thread);
		}

	}

}
