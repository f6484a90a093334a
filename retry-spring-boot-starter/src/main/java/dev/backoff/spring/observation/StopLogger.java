package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;
import dev.backoff.time.DurationText;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;

/**
 * Log one line for each call that wanted a retry and stopped without success. The line
 * has the whole stop report, at WARN, with these key-values. <pre>
 * backoff.policy, backoff.method   names
 * backoff.attempts                 number of attempts
 * backoff.stop                     stop reason, in lower case
 * backoff.elapsed_ms               duration of the whole call
 * backoff.waits_ms                 the waits; of more than six the first and last three
 * backoff.attempts_ms              the attempts, likewise
 * backoff.failure                  its class and its root's; absent after a result
 * backoff.host                     host and port of the last request; absent if unknown
 * backoff.recover                  none, done, failed or rethrown
 * backoff.calls                    only where one line stands for many calls: their number
 * backoff.recovered                likewise: how many of them recovered
 * </pre> Other lines have other levels. DEBUG is for each retry, for a success after a
 * retry, for a first attempt that is not retryable or was interrupted, and, unless a
 * recovery handled it, for a failure that an inner call has retried and a cancellation.
 * INFO is for calls that a shutdown ended, for {@link CallStatistics.RetryWorth#advice()
 * advice} once a day and policy and, once for each method, for a failure that an inner
 * call has retried. WARN is, once for each method, for a failure that {@code retryOn}
 * lists but does not reach, or whose request may not be repeated as long as
 * {@code idempotent} does not say so. The first failure and each stop of a stored call
 * are also WARN, and once a minute and policy a permanent failure while more than half of
 * at least 20 calls fail so, without a recovery and not named in {@code abort-on}.
 * <p>
 * No line shows an argument, or the message or the stack trace of a call's failure. The
 * only exception is a failure that a recovery handled: its stack trace follows in a line
 * of its own at DEBUG. A hook of the application that throws is a bug. It is logged with
 * its stack trace, at ERROR once for each hook and method, then at DEBUG. An executor
 * that is too busy to begin an attempt is logged in the same way, but at WARN and without
 * a stack trace.
 * <p>
 * At WARN and INFO, the first 20 stops a minute of each policy and reason are logged in
 * full. All further stops share one line, and DEBUG logs them in full too. The shared
 * line comes at the end of the minute or with {@link #close()}, and shows how long ago
 * its last call stopped. The twentieth line announces it. Thread-safe.
 *
 * @since 0.1
 */
public final class StopLogger implements RetryListener, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(StopLogger.class);

	private static final String POLICY = "backoff.policy";

	private static final String ATTEMPTS = "backoff.attempts";

	private static final String STOP = "backoff.stop";

	private static final String ELAPSED = "backoff.elapsed_ms";

	private static final String FAILURE = "backoff.failure";

	/** The MDC entry with the id of the durable call during an attempt. */
	public static final String STORED_CALL = "backoff.call";

	/** The MDC entry with the key of the durable call, if the call has a key. */
	public static final String STORED_KEY = "backoff.key";

	private static final int MOST_TOLD_ONCE = 1_000;

	private static final long DAY = Duration.ofDays(1).toNanos();

	private final RetryTime time;

	private final Executor executor;

	private final StopQuotas quotas = new StopQuotas();

	/* The last of each policy and reason. */
	private final Map<String, Cancellable> timers = new ConcurrentHashMap<>();

	private final Set<String> toldOnce = ConcurrentHashMap.newKeySet();

	private final Supplier<? extends CallStatistics> statistics;

	private final Map<String, Long> advised = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/** Create a logger that measures minutes by the given time. */
	public StopLogger(RetryTime time) {
		this(time, new CompletableFuture<Void>().defaultExecutor(), () -> List::of);
	}

	StopLogger(RetryTime time, Executor executor, Supplier<? extends CallStatistics> statistics) {
		this.time = time;
		this.executor = executor;
		this.statistics = statistics;
	}

	@Override
	public void onRetry(RetryEvent.Scheduled event) {
		// no caller hears of a stored call, which may go on for hours
		boolean first = event.attempt() == 1 && event.cause() != RetryCause.PENDING && MDC.get(STORED_CALL) != null;
		int place = first ? place(event.policy(), null, 1, false) : 0;
		Level level = (place > 0 && place <= StopQuotas.FULL) ? Level.WARN : Level.DEBUG;
		if (!logger.isEnabledForLevel(level)) {
			return;
		}
		LoggingEventBuilder line = named(level, event).addKeyValue(ATTEMPTS, event.attempt());
		Throwable failure = event.failure();
		if (failure != null) {
			line = line.addKeyValue(FAILURE, FailureText.classes(failure));
		}
		RetriesStoppedException.Wait wait = new RetriesStoppedException.Wait(event.delay(), event.source());
		line.log("Retrying " + event.method() + " in " + wait + " after attempt " + event.attempt() + ": "
				+ event.cause().tag() + ((failure != null) ? ", " + FailureText.classes(failure) : "") + " (policy "
				+ event.policy() + ")" + stored("stored call") + remark(place));
	}

	@Override
	public void onSuccess(RetryEvent.Succeeded event) {
		if (logger.isDebugEnabled()) {
			named(Level.DEBUG, event).addKeyValue(ATTEMPTS, event.attempts())
				.addKeyValue(ELAPSED, event.elapsed().toMillis())
				.log("Succeeded after " + event.attempts() + " attempts in "
						+ DurationText.rounded(event.elapsed().toNanos()) + ": " + event.method() + " (policy "
						+ event.policy() + ")");
		}
	}

	@Override
	public void onStop(RetryEvent.Stopped event) {
		Level level = level(event);
		boolean quiet = level == Level.DEBUG;
		RetriesStoppedException report = event.report();
		if (event.outcome() == AttemptOutcome.PERMANENT && report.reason() == StopReason.NOT_RETRYABLE
				&& event.recovery() != RecoveryOutcome.DONE) {
			// alone a matter of its caller, but of operators if most calls fail so
			String most = this.quotas.failed(event.policy(), this.time.nanoTime(),
					() -> this.statistics.get().worth(event.policy()).calls());
			if (most != null) {
				log(Level.WARN, event, most);
				return;
			}
		}
		if (quiet && report.reason() == StopReason.NESTED && logger.isInfoEnabled()
				&& isFirst("nested " + event.method())) {
			log(Level.INFO, event, "; nested: multiply would retry it here too, so that the attempts of both multiply; "
					+ "this is said once for each method");
			return;
		}
		if (quiet && event.isUnmeant() && isFirst("unmeant " + event.method())) {
			log(Level.WARN, event, "; this is said once for each method");
			return;
		}
		if (logger.isEnabledForLevel(level)) {
			int place = quiet ? 0 : place(event.policy(), report.reason(), report.attempts(),
					event.recovery() == RecoveryOutcome.DONE);
			if (place == 1) {
				advise(event);
			}
			if (place <= StopQuotas.FULL || logger.isDebugEnabled()) {
				log((place <= StopQuotas.FULL) ? level : Level.DEBUG, event, remark(place));
			}
		}
	}

	/* Retries that earn little leave many calls that stop. */
	private void advise(RetryEvent.Stopped event) {
		Long told = this.advised.get(event.policy());
		long now = this.time.nanoTime();
		if (told == null || now - told >= DAY) {
			List<String> advice = this.statistics.get().worth(event.policy()).advice();
			if (!advice.isEmpty() && Objects.equals(this.advised.put(event.policy(), now), told)) {
				named(Level.INFO, event).log("Policy " + event.policy() + ": " + String.join("; ", advice));
			}
		}
	}

	@Override
	public void onHookFailure(RetryEvent.HookFailed event) {
		boolean busy = event.failure() instanceof TimeoutException && event.hook().equals("executor");
		Level level = !isFirst(event.hook() + " of " + event.method()) ? Level.DEBUG : busy ? Level.WARN : Level.ERROR;
		if (busy) {
			named(level, event).log("The executor of " + event.method() + " is busy: " + event.failure().getMessage()
					+ ". Do the executor's threads wait for the results of such calls? (policy " + event.policy()
					+ ")");
			return;
		}
		String classes = FailureText.classes(event.failure());
		named(level, event).addKeyValue(FAILURE, classes)
			.setCause(event.failure())
			.log("The " + event.hook() + " of " + event.method() + " threw " + classes
					+ ", which was worked around (policy " + event.policy() + ")");
	}

	/* Count a stop, and have those that are held told at the end of their minute. */
	private int place(String policy, @Nullable StopReason reason, int attempts, boolean recovered) {
		tellHeld(StopQuotas.MINUTE);
		long now = this.time.nanoTime();
		StopQuotas.Counted minute = this.quotas.count(policy, reason, attempts, recovered, now);
		if (minute.stops() == StopQuotas.FULL + 1) {
			// not on the call's thread, since no call waits for it, nor on the timer's
			long left = StopQuotas.MINUTE - (now - minute.began());
			this.executor.execute(() -> {
				Runnable tell = () -> this.executor.execute(() -> tellHeld(StopQuotas.MINUTE));
				Cancellable timer = this.time.schedule(tell, left);
				this.timers.put(policy + reason, timer);
				if (this.closed) {
					timer.cancel();
				}
			});
		}
		return minute.stops();
	}

	private void tellHeld(long age) {
		this.quotas.take(this.time.nanoTime(), age).forEach(StopLogger::log);
	}

	private static String remark(int place) {
		return (place == StopQuotas.FULL) ? "; more within this minute are only counted" : "";
	}

	/* Name the stored call whose attempt this thread makes. */
	private static String stored(String what) {
		String call = MDC.get(STORED_CALL);
		String key = MDC.get(STORED_KEY);
		return (call == null) ? "" : "; " + what + " " + call + ((key != null) ? ", key " + key : "");
	}

	private boolean isFirst(String line) {
		return this.toldOnce.size() < MOST_TOLD_ONCE && this.toldOnce.add(line);
	}

	/**
	 * Log the counts of held stops without waiting for the end of their minute. Call this
	 * when the application ends, after the last call. The logger stays usable, but sets
	 * no timer: later counts come with the next stop.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.timers.values().forEach(Cancellable::cancel);
		tellHeld(0);
	}

	private static void log(Level level, RetryEvent.Stopped event, String remark) {
		RetriesStoppedException report = event.report();
		Throwable failure = report.failure();
		LoggingEventBuilder line = named(level, event).addKeyValue(ATTEMPTS, report.attempts())
			.addKeyValue(STOP, report.reason().tag())
			.addKeyValue(ELAPSED, report.elapsed().toMillis())
			.addKeyValue("backoff.waits_ms", report.waits().stream().map((wait) -> wait.length().toMillis()).toList())
			.addKeyValue("backoff.attempts_ms", report.attemptTimes().stream().map(Duration::toMillis).toList())
			.addKeyValue("backoff.recover", event.recovery().name().toLowerCase(Locale.ROOT));
		if (failure != null) {
			line = line.addKeyValue(FAILURE, FailureText.classes(failure));
		}
		if (report.host() != null) {
			line = line.addKeyValue("backoff.host", report.host());
		}
		line.log(report.getMessage() + "; " + event.method() + ending(report) + recovery(event)
				+ stored((event.recovery() == RecoveryOutcome.DONE) ? "stored call" : "dead letter") + remark);
		if (failure != null && event.recovery() == RecoveryOutcome.DONE && logger.isDebugEnabled()) {
			named(Level.DEBUG, event).setCause(failure).log("Recovered " + event.method() + " from this failure");
		}
	}

	private static void log(StopQuotas.Held held) {
		StopReason reason = held.reason();
		LoggingEventBuilder line = logger.atLevel((reason == StopReason.SHUTDOWN) ? Level.INFO : Level.WARN)
			.addKeyValue(POLICY, held.policy())
			.addKeyValue("backoff.calls", held.calls());
		String within = DurationText.rounded(held.within());
		if (reason == null) {
			line.log("The first attempts of " + held.calls() + " more stored calls failed within " + within
					+ " (policy " + held.policy() + ")");
			return;
		}
		line.addKeyValue(STOP, reason.tag())
			.addKeyValue(ATTEMPTS, held.attempts())
			.addKeyValue("backoff.recovered", held.recovered())
			.log("Stopped " + held.calls() + " more " + ((held.calls() == 1) ? "call" : "calls") + " within " + within
					+ ", the last " + DurationText.rounded(held.ago()) + " ago: " + reason + " (policy " + held.policy()
					+ "; attempts " + held.attempts() + "; recovered " + held.recovered() + ")");
	}

	private static LoggingEventBuilder named(Level level, RetryEvent event) {
		return logger.atLevel(level).addKeyValue(POLICY, event.policy()).addKeyValue("backoff.method", event.method());
	}

	private static Level level(RetryEvent.Stopped event) {
		RetriesStoppedException report = event.report();
		// the failure of a stored call reaches no caller
		boolean stored = MDC.get(STORED_CALL) != null;
		return switch (report.reason()) {
			case SHUTDOWN -> Level.INFO;
			case NESTED, CANCELLED -> (stored || event.recovery() == RecoveryOutcome.DONE) ? Level.WARN : Level.DEBUG;
			case NOT_RETRYABLE, INTERRUPTED ->
				(stored || report.attempts() > 1 || !report.waits().isEmpty()) ? Level.WARN : Level.DEBUG;
			default -> Level.WARN;
		};
	}

	private static String ending(RetriesStoppedException report) {
		Throwable failure = report.failure();
		if (report.attemptTimes().isEmpty()) {
			return (report.reason() == StopReason.LOST) ? " did not end"
					: (report.attempts() == 0) ? " was not called" : " was not called again";
		}
		return (failure != null) ? " failed with " + FailureText.classes(failure)
				: (report.lastResult() == null && report.reason() == StopReason.CANCELLED) ? " was cancelled"
						: " returned what was not good enough";
	}

	private static String recovery(RetryEvent.Stopped event) {
		if (event.recovery() == RecoveryOutcome.DONE) {
			return "; recovered";
		}
		Throwable thrown = event.thrown();
		return (event.recovery() != RecoveryOutcome.NONE && thrown != null)
				? "; recovery threw " + FailureText.classes(thrown) : "";
	}

}
