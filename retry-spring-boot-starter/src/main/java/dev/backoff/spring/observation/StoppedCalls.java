package dev.backoff.spring.observation;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetriesStoppedException.Wait;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.failure.Causes;

/**
 * Keep the last {@value #KEPT} calls of each policy that stopped without success, for
 * whoever is on call: those that {@link StopLogger} tells at WARN or INFO. What nobody
 * wanted to retry, a call inside has retried or the caller has cancelled would only drive
 * the others out.
 * <p>
 * Text and numbers are kept, and no exception, argument or result. After
 * {@value #MOST_POLICIES} policies, further ones share the name {@value #OTHER} here.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class StoppedCalls implements RetryListener {

	/** How many calls of a policy are kept. */
	public static final int KEPT = 20;

	/** The greatest number of policies whose calls are kept apart. */
	static final int MOST_POLICIES = 1_000;

	/** What stands for all policies that are beyond the bound. */
	static final String OTHER = "other";

	/** The greatest length of a message. */
	static final int LONGEST_MESSAGE = 200;

	private final Clock clock;

	private final BooleanSupplier messages;

	private final Map<String, Latest> policies = new ConcurrentHashMap<>();

	/**
	 * Keep calls.
	 * @param clock tells when they stopped
	 * @param messages whether what failures say may be kept and shown; asked each time
	 */
	public StoppedCalls(Clock clock, BooleanSupplier messages) {
		this.clock = clock;
		this.messages = messages;
	}

	@Override
	public void onStop(RetryEvent.Stopped event) {
		if (StopLogger.isNoteworthy(event) || isOwnEnd(event.story().reason())) {
			latest(event.policy()).add(describe(event));
		}
	}

	/*
	 * Others tell of calls whose retries were made further inside, and nobody asks why a
	 * call stopped that was cancelled.
	 */
	private static boolean isOwnEnd(StopReason reason) {
		return reason != StopReason.NESTED && reason != StopReason.CANCELLED;
	}

	private Latest latest(String policy) {
		Latest known = this.policies.get(policy);
		if (known != null) {
			return known;
		}
		return this.policies.computeIfAbsent((this.policies.size() < MOST_POLICIES) ? policy : OTHER,
				(name) -> new Latest());
	}

	private StoppedCall describe(RetryEvent.Stopped event) {
		RetriesStoppedException story = event.story();
		Throwable failure = story.failure();
		List<Duration> waits = story.waits().stream().map(Wait::length).toList();
		return new StoppedCall(this.clock.instant(), event.policy(), event.method(), story.reason(), story.attempts(),
				waits, story.attemptTimes(), story.elapsed(), (failure != null) ? failure.getClass().getName() : null,
				(failure != null) ? rootOf(failure) : null,
				(failure != null && this.messages.getAsBoolean()) ? messageOf(failure) : null, event.recovery());
	}

	private static @Nullable String rootOf(Throwable failure) {
		try {
			Throwable root = Causes.root(failure);
			return (root != failure) ? root.getClass().getName() : null;
		}
		catch (RuntimeException ex) {
			// it does not let its cause be read
			return null;
		}
	}

	private static @Nullable String messageOf(Throwable failure) {
		try {
			String message = failure.getMessage();
			return (message != null) ? shown(message) : null;
		}
		catch (RuntimeException ex) {
			// it has none to give
			return null;
		}
	}

	/* One line, whatever it is written into. */
	private static String shown(String message) {
		StringBuilder shown = new StringBuilder(Math.min(message.length(), LONGEST_MESSAGE));
		int end = 0;
		while (end < message.length()) {
			int character = message.codePointAt(end);
			if (shown.length() + Character.charCount(character) > LONGEST_MESSAGE) {
				break;
			}
			shown.appendCodePoint(isPlain(character) ? character : '?');
			end += Character.charCount(character);
		}
		return shown.toString();
	}

	private static boolean isPlain(int character) {
		return switch (Character.getType(character)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SURROGATE, Character.UNASSIGNED ->
				false;
			default -> true;
		};
	}

	/**
	 * Return the last calls of a policy that stopped.
	 * @param policy the policy's name
	 * @return an immutable list, the latest first
	 */
	public List<StoppedCall> of(String policy) {
		Latest latest = this.policies.get(policy);
		if (latest == null) {
			return List.of();
		}
		List<StoppedCall> calls = latest.all();
		return this.messages.getAsBoolean() ? calls : calls.stream().map(StoppedCall::withoutMessage).toList();
	}

	/**
	 * {@return the policies of which calls have stopped; an immutable set of names, in
	 * order}
	 */
	public Set<String> policies() {
		return Collections.unmodifiableSet(new TreeSet<>(this.policies.keySet()));
	}

	/** The last calls of one policy. */
	private static final class Latest {

		private final ReentrantLock lock = new ReentrantLock();

		private final Deque<StoppedCall> calls = new ArrayDeque<>(KEPT);

		void add(StoppedCall call) {
			this.lock.lock();
			try {
				if (this.calls.size() == KEPT) {
					this.calls.removeLast();
				}
				this.calls.addFirst(call);
			}
			finally {
				this.lock.unlock();
			}
		}

		List<StoppedCall> all() {
			this.lock.lock();
			try {
				return Collections.unmodifiableList(new ArrayList<>(this.calls));
			}
			finally {
				this.lock.unlock();
			}
		}

	}

}
