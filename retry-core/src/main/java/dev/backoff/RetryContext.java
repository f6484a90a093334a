package dev.backoff;

import java.time.Duration;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.CallObserver;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;

/**
 * A running attempt that is carried to another thread, or a deadline from outside. Calls
 * inside the context respect it. <pre>
 * RetryContext context = RetryContext.capture();
 * executor.submit(context.wrap(() -&gt; inventory.reserve(order)));
 * </pre> Calls made while the context is {@linkplain #open() open} never outlive its
 * deadline, and send keys that belong to its call. A sooner deadline of the thread stays
 * in force. Requests on several threads have the same keys at the next attempt if each
 * thread opens a context of its own. Immutable and thread-safe; one context may be open
 * on several threads.
 *
 * @since 0.1
 */
@SuppressWarnings("try") // a scope is open and not used
public final class RetryContext {

	private static final Scope NOTHING = () -> {
	};

	private final @Nullable SharedAttempt shared;

	private final boolean concealing;

	private RetryContext(@Nullable SharedAttempt shared, boolean concealing) {
		this.shared = shared;
		this.concealing = concealing;
	}

	/**
	 * {@return the context that this thread's calls must respect now; it may be
	 * {@linkplain #isEmpty() empty}}
	 */
	public static RetryContext capture() {
		CallState call = CallStack.ofThread().running();
		return new RetryContext((call != null) ? call.context().share() : null, false);
	}

	/**
	 * Tell an observed call which observed calls are around the work on this thread, as
	 * if the call began here.
	 * @param told whose {@link CallObserver.ObservedCall#isInside isInside} is called
	 */
	public static void tellAround(CallObserver.ObservedCall told) {
		AttemptContext.tellAround(told, CallStack.ofThread().running());
	}

	/**
	 * {@return an empty context that hides the attempts and deadlines of a thread, for
	 * work that does not belong to them}
	 */
	public static RetryContext none() {
		return new RetryContext(null, true);
	}

	/**
	 * {@return the context of a deadline from outside, for instance of a request}
	 * @param timeLeft the time until the deadline from now; a negative one counts as zero
	 */
	public static RetryContext ofDeadline(Duration timeLeft) {
		return ofDeadline(timeLeft, RetryTime.system());
	}

	/** Return the context of a deadline that the given time measures. */
	static RetryContext ofDeadline(Duration timeLeft, RetryTime time) {
		return new RetryContext(SharedAttempt.ofDeadline(Math.max(0, Nanos.of(timeLeft)), time), false);
	}

	/**
	 * {@return whether there is nothing to respect, neither an attempt nor a deadline}
	 */
	public boolean isEmpty() {
		return this.shared == null;
	}

	/**
	 * Make this thread's calls respect the context until the scope is closed. Close the
	 * scope on the same thread.
	 * @return the scope to close
	 */
	public Scope open() {
		CallStack stack = CallStack.ofThread();
		if (this.concealing) {
			return stack.conceal();
		}
		CallState running = stack.running();
		if (this.shared == null || (running != null && running.context().isOf(this.shared))) {
			return NOTHING;
		}
		CallState adopted = (this.shared.key() == null && running != null && running.isAttempt())
				? stack.adopt(running.context().share(),
						Math.max(0, CallState.adopting(this.shared, null).attemptTimeLeft()))
				: stack.adopt(this.shared, Nanos.UNLIMITED);
		return () -> stack.abandon(adopted);
	}

	/**
	 * {@return a task for any thread, which runs with the context open}
	 * @param task the task
	 */
	public Runnable wrap(Runnable task) {
		return () -> {
			try (Scope scope = open()) {
				task.run();
			}
		};
	}

	/**
	 * {@return a task for any thread, which runs with the context open}
	 * @param task the task
	 * @param <T> the type of its result
	 */
	public <T extends @Nullable Object> Callable<T> wrap(Callable<T> task) {
		return () -> {
			try (Scope scope = open()) {
				return task.call();
			}
		};
	}

	/** A context that is open on a thread. Closing it twice does nothing. */
	@FunctionalInterface
	public interface Scope extends AutoCloseable {

		@Override
		void close();

	}

}
