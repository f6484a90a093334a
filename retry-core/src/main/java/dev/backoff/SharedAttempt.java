package dev.backoff;

import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import dev.backoff.budget.RetryBudget;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.event.CallObserver;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.time.RetryTime;

/**
 * A running attempt, for which calls on other threads may stand, or a deadline from
 * outside, which has no key and receives no reports. Its counters are shared by the calls
 * that stand for it, so that no two requests have the same key. Thread-safe.
 *
 * @param limit from the start of the call to the end of the attempt
 * @param key the outermost call's
 * @param path how its call is reached from the outermost one
 * @param reports receives reports for the attempt and identifies it
 * @param permits those that the attempt and the attempts around it held
 * @param observed the innermost call that is observed
 */
record SharedAttempt(CallSettings settings, long started, long limit, int attempt, long attemptStart,
		@Nullable Throwable previousFailure, @Nullable CallKey key, String path, @Nullable AttemptReports reports,
		List<AttemptReports> receivers, List<HeldPermit> permits, CallObserver.@Nullable ObservedCall observed,
		AtomicInteger innerCalls, AtomicInteger requests, AtomicInteger captures) {

	static SharedAttempt of(CallState call, @Nullable CallKey key, String path, @Nullable AttemptReports reports,
			List<AttemptReports> receivers, List<HeldPermit> permits) {
		return new SharedAttempt(call.settings(), call.started(), call.attemptLimit(), call.attempt, call.attemptStart,
				call.previousFailure(), key, path, reports, List.copyOf(receivers), List.copyOf(permits),
				AttemptContext.innermostObserved(call), new AtomicInteger(), new AtomicInteger(), new AtomicInteger());
	}

	static SharedAttempt ofDeadline(long nanos, RetryTime time) {
		CallState call = new CallState(null);
		call.begin(CallSettings.ofDeadline(time), time.nanoTime());
		call.tighten(nanos);
		return of(call, null, "", null, List.of(), List.of());
	}

	boolean isHoldingPermit(ConcurrencyLimit limit) {
		for (HeldPermit permit : this.permits) {
			if (permit.limit == limit && permit.held) {
				return true;
			}
		}
		return false;
	}

	/** The permit of an attempt, as calls on other threads see it. Thread-safe. */
	static final class HeldPermit {

		final ConcurrencyLimit limit;

		volatile boolean held = true;

		HeldPermit(ConcurrencyLimit limit) {
			this.limit = limit;
		}

	}

	/** What is reported to an attempt, also by calls on other threads. Thread-safe. */
	static final class AttemptReports {

		/* By one of its requests. */
		volatile boolean keyAsked;

		/* The last one, or null. */
		final AtomicReference<@Nullable UnsafeRequest> unsafe = new AtomicReference<>();

		/* Has counted the timeout of a call inside. */
		volatile @Nullable RetryBudget struck;

		final Queue<HandledFailure> handledFailures = new ConcurrentLinkedQueue<>();

		/** Note a request: an unsafe one, or null for one that may be repeated. */
		void sends(@Nullable UnsafeRequest request) {
			this.unsafe.updateAndGet((before) -> UnsafeRequest.after(before, request));
		}

		/** Note a request that has failed, unless it was noted when it was sent. */
		void failed(@Nullable UnsafeRequest request) {
			this.unsafe.updateAndGet((before) -> (request != null && request.isSame(before)) ? before
					: UnsafeRequest.after(before, request));
		}

	}

	/**
	 * A request that may have an effect each time that it is sent.
	 *
	 * @param isAlone whether it is the attempt's last request, and its only unsafe one
	 */
	record UnsafeRequest(String method, @Nullable URI uri, boolean isAlone) {

		/* Those that HTTP and WebDAV define as idempotent. */
		private static final Set<String> REPEATABLE = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE",
				"QUERY", "PROPFIND", "REPORT", "SEARCH");

		/** Return a request, or null if it may be repeated. */
		static @Nullable UnsafeRequest of(String method, @Nullable URI uri) {
			return REPEATABLE.contains(method) ? null : new UnsafeRequest(method, uri, true);
		}

		static @Nullable UnsafeRequest after(@Nullable UnsafeRequest before, @Nullable UnsafeRequest request) {
			UnsafeRequest last = (request != null) ? request : before;
			return (before == null || last == null) ? last : new UnsafeRequest(last.method, last.uri, false);
		}

		boolean isSame(@Nullable UnsafeRequest other) {
			return other != null && this.method.equals(other.method) && Objects.equals(path(), other.path());
		}

		/* A filter may have put another host in the place of a service's name. */
		private @Nullable String path() {
			return (this.uri != null) ? this.uri.getRawPath() : null;
		}

		@Override
		public String toString() {
			String host = CallState.host(this.uri);
			return (host != null) ? this.method + " to " + host : this.method;
		}

	}

	/* Thrown by a call inside, and whether its work must not be repeated. */
	record HandledFailure(Throwable failure, RetriesStoppedException report, boolean unrepeatable) {
	}

}
