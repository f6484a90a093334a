package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.failure.Causes;
import dev.backoff.time.DurationText;
import dev.backoff.time.RetryTime;

/**
 * Log one line per call that wanted a retry and stopped without success, or whose failure
 * a recovery swallowed: the whole story at WARN, with these key-values. <pre>
 * backoff.policy, backoff.method   names
 * backoff.attempts                 how many were made
 * backoff.stop                     why it ended, in lower case
 * backoff.elapsed_ms               the whole call
 * backoff.waits_ms                 the waits; of more than six the first and last three
 * backoff.attempts_ms              the attempts, likewise
 * backoff.failure                  its class and its root's; absent after a result
 * backoff.recover                  none, done or failed
 * backoff.calls                    only where one line stands for many: how many
 * backoff.recovered                likewise: how many of them recovered
 * </pre> Other levels: DEBUG for what the caller sees anyway and nobody wanted to retry
 * (a first attempt that is not retryable or was interrupted, a failure that a call inside
 * has retried, a cancellation) unless a recovery swallowed it; INFO for calls that a
 * shutdown ended; DEBUG for each retry and for a success after one.
 * <p>
 * No line shows an argument or the message of a call's failure, and none has its stack
 * trace: the caller has that. Where a recovery swallowed the failure, the trace follows
 * in a line of its own at DEBUG. Something handed to the library that threw is a bug to
 * be fixed and comes with its stack trace: at ERROR once for each hook and method, then
 * at DEBUG.
 * <p>
 * At WARN and INFO, for each policy and reason the first 20 stops a minute come in full,
 * the others as one line for all of them; at DEBUG these come in full too. There is no
 * thread to wait for the end of the minute. The line comes with the next thing told here
 * after it, of any policy and reason and within a second, or with {@link #close()}; it
 * says how long ago the last of its calls was. So that nobody waits for it, the twentieth
 * line announces it, and the meters count every call at once.
 * <p>
 * Thread-safe. What an appender throws goes no further than the call's listeners.
 *
 * @since 0.1
 */
public final class StopLogger implements RetryListener, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(StopLogger.class);

	private static final String POLICY = "backoff.policy";

	private static final String METHOD = "backoff.method";

	private static final String ATTEMPTS = "backoff.attempts";

	private static final String STOP = "backoff.stop";

	private static final String ELAPSED = "backoff.elapsed_ms";

	private static final String WAITS = "backoff.waits_ms";

	private static final String ATTEMPT_TIMES = "backoff.attempts_ms";

	private static final String FAILURE = "backoff.failure";

	private static final String RECOVER = "backoff.recover";

	private static final String CALLS = "backoff.calls";

	private static final String RECOVERED = "backoff.recovered";

	/** Bounds what is remembered of labels that a program makes up as it goes. */
	private static final int MAX_REMEMBERED = 1_000;

	private static final long SWEEP_INTERVAL = Duration.ofSeconds(1).toNanos();

	private final RetryTime time;

	private final Map<Kind, StopQuota> quotas = new ConcurrentHashMap<>();

	private final Set<Hook> failedHooks = ConcurrentHashMap.newKeySet();

	private final AtomicLong lastSweep;

	/**
	 * Log in the system's time.
	 */
	public StopLogger() {
		this(RetryTime.system());
	}

	/**
	 * Log in the given time.
	 * @param time what tells when a minute is over
	 */
	public StopLogger(RetryTime time) {
		this.time = time;
		this.lastSweep = new AtomicLong(time.nanoTime());
	}

	@Override
	public void onRetry(RetryEvent.Scheduled event) {
		sweep(this.time.nanoTime());
		if (!logger.isDebugEnabled()) {
			return;
		}
		LoggingEventBuilder line = named(Level.DEBUG, event).addKeyValue(ATTEMPTS, event.attempt());
		Throwable failure = event.failure();
		if (failure != null) {
			line = line.addKeyValue(FAILURE, classes(failure));
		}
		RetriesStoppedException.Wait wait = new RetriesStoppedException.Wait(event.delay(), event.source());
		line.log("Retrying " + event.method() + " in " + wait + " after attempt " + event.attempt() + ": "
				+ event.cause().tag() + ((failure != null) ? ", " + classes(failure) : "") + " (policy "
				+ event.policy() + ")");
	}

	@Override
	public void onSuccess(RetryEvent.Succeeded event) {
		sweep(this.time.nanoTime());
		if (logger.isDebugEnabled()) {
			named(Level.DEBUG, event).addKeyValue(ATTEMPTS, event.attempts())
				.addKeyValue(ELAPSED, event.elapsed().toMillis())
				.log("Succeeded after " + event.attempts() + " attempts in "
						+ DurationText.story(event.elapsed().toNanos()) + ": " + event.method() + " (policy "
						+ event.policy() + ")");
		}
	}

	@Override
	public void onStop(RetryEvent.Stopped event) {
		long now = this.time.nanoTime();
		sweep(now);
		Level level = level(event);
		if (!logger.isEnabledForLevel(level)) {
			return;
		}
		if (level == Level.DEBUG) {
			log(level, event, "");
			return;
		}
		RetriesStoppedException story = event.story();
		Kind kind = kind(event.policy(), story.reason());
		StopQuota.Answer answer = this.quotas.computeIfAbsent(kind, (key) -> new StopQuota())
			.ask(now, story.attempts(), event.recovery() == RecoveryOutcome.DONE);
		log(kind, answer.earlier(), now);
		if (answer.place() > 0) {
			log(level, event, (answer.place() < StopQuota.FULL) ? "" : "; more within this minute are only counted");
		}
		else if (logger.isDebugEnabled()) {
			log(Level.DEBUG, event, "");
		}
	}

	@Override
	public void onHookFailure(RetryEvent.HookFailed event) {
		sweep(this.time.nanoTime());
		boolean first = this.failedHooks.size() < MAX_REMEMBERED
				&& this.failedHooks.add(new Hook(event.hook(), event.method()));
		Level level = first ? Level.ERROR : Level.DEBUG;
		if (!logger.isEnabledForLevel(level)) {
			return;
		}
		named(level, event).addKeyValue(FAILURE, classes(event.failure()))
			.setCause(event.failure())
			.log("The " + event.hook() + " of " + event.method() + " threw " + classes(event.failure())
					+ ", which was worked around (policy " + event.policy() + ")");
	}

	/**
	 * Log the counts of stops that have not been logged, without waiting for their minute
	 * to be over. To be called when the application ends, after the last call; the logger
	 * stays usable.
	 */
	@Override
	public void close() {
		long now = this.time.nanoTime();
		this.quotas.forEach((kind, quota) -> log(kind, quota.take(), now));
	}

	/** Log what was held in minutes that are over; look for it once a second. */
	private void sweep(long now) {
		long last = this.lastSweep.get();
		if (now - last >= SWEEP_INTERVAL && this.lastSweep.compareAndSet(last, now)) {
			this.quotas.forEach((kind, quota) -> log(kind, quota.takeIfOver(now), now));
		}
	}

	private Kind kind(String policy, StopReason reason) {
		Kind kind = new Kind(policy, reason);
		return (this.quotas.size() < MAX_REMEMBERED || this.quotas.containsKey(kind)) ? kind
				: new Kind("other", reason);
	}

	private void log(Level level, RetryEvent.Stopped event, String remark) {
		RetriesStoppedException story = event.story();
		Throwable failure = story.failure();
		LoggingEventBuilder line = named(level, event).addKeyValue(ATTEMPTS, story.attempts())
			.addKeyValue(STOP, story.reason().tag())
			.addKeyValue(ELAPSED, story.elapsed().toMillis())
			.addKeyValue(WAITS, story.waits().stream().map((wait) -> wait.length().toMillis()).toList())
			.addKeyValue(ATTEMPT_TIMES, story.attemptTimes().stream().map(Duration::toMillis).toList())
			.addKeyValue(RECOVER, event.recovery().name().toLowerCase(Locale.ROOT));
		if (failure != null) {
			line = line.addKeyValue(FAILURE, classes(failure));
		}
		line.log(story.getMessage() + "; " + event.method() + ending(story) + recovery(event) + remark);
		if (failure != null && event.recovery() == RecoveryOutcome.DONE && logger.isDebugEnabled()) {
			named(Level.DEBUG, event).setCause(failure).log("Recovered " + event.method() + " from this failure");
		}
	}

	private void log(Kind kind, StopQuota.@Nullable Held held, long now) {
		if (held == null) {
			return;
		}
		Level level = (kind.reason() == StopReason.SHUTDOWN) ? Level.INFO : Level.WARN;
		logger.atLevel(level)
			.addKeyValue(POLICY, kind.policy())
			.addKeyValue(STOP, kind.reason().tag())
			.addKeyValue(CALLS, held.calls())
			.addKeyValue(ATTEMPTS, held.attempts())
			.addKeyValue(RECOVERED, held.recovered())
			.log("Stopped " + held.calls() + " more " + ((held.calls() == 1) ? "call" : "calls") + " within "
					+ DurationText.story(held.within()) + ", the last "
					+ DurationText.story(Math.max(0, now - held.last())) + " ago: " + kind.reason() + " (policy "
					+ kind.policy() + "; attempts " + held.attempts() + "; recovered " + held.recovered() + ")");
	}

	private static LoggingEventBuilder named(Level level, RetryEvent event) {
		return logger.atLevel(level).addKeyValue(POLICY, event.policy()).addKeyValue(METHOD, event.method());
	}

	/** Return whether a stop says more than that a call failed. */
	static boolean isNoteworthy(RetryEvent.Stopped event) {
		return level(event) != Level.DEBUG;
	}

	private static Level level(RetryEvent.Stopped event) {
		RetriesStoppedException story = event.story();
		boolean swallowed = event.recovery() == RecoveryOutcome.DONE;
		return switch (story.reason()) {
			case SHUTDOWN -> Level.INFO;
			case NESTED, CANCELLED -> swallowed ? Level.WARN : Level.DEBUG;
			case NOT_RETRYABLE, INTERRUPTED ->
				(swallowed || story.attempts() > 1 || !story.waits().isEmpty()) ? Level.WARN : Level.DEBUG;
			default -> Level.WARN;
		};
	}

	private static String ending(RetriesStoppedException story) {
		Throwable failure = story.failure();
		if (story.attempts() == 0) {
			return " was not called";
		}
		return (failure != null) ? " failed with " + classes(failure) : " returned what was not good enough";
	}

	private static String recovery(RetryEvent.Stopped event) {
		if (event.recovery() == RecoveryOutcome.DONE) {
			return "; recovered";
		}
		Throwable thrown = event.thrown();
		return (event.recovery() == RecoveryOutcome.FAILED && thrown != null) ? "; recovery threw " + classes(thrown)
				: "";
	}

	/** Return the class of a failure and of its root: never a message. */
	private static String classes(Throwable failure) {
		String name = failure.getClass().getName();
		try {
			Throwable root = Causes.root(failure);
			return (root != failure) ? name + " caused by " + root.getClass().getName() : name;
		}
		catch (RuntimeException ex) {
			// it does not let its cause be read, and its story matters all the more
			return name;
		}
	}

	/**
	 * What shares a quota.
	 *
	 * @param policy the policy's name
	 * @param reason why the calls stopped
	 */
	private record Kind(String policy, StopReason reason) {
	}

	/**
	 * What has failed before.
	 *
	 * @param hook what it was
	 * @param method where
	 */
	private record Hook(String hook, String method) {
	}

}
