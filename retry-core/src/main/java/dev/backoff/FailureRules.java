package dev.backoff;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;

import org.jspecify.annotations.Nullable;

import dev.backoff.SharedAttempt.AttemptReports;
import dev.backoff.SharedAttempt.UnsafeRequest;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.Idempotency;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.Nanos;

/**
 * Whether a failure deserves another attempt: the second step of a decision.
 * <p>
 * The rules in their order: failures that are never retried; those that an inner call has
 * retried; the abort list; the retry list, which is exclusive when it is not empty; a
 * classifier's PERMANENT or a programming error, unless the retry list names the
 * failure's own class, the judged type or one below it; any other exception.
 */
record FailureRules(RetryPolicy policy) {

	/*
	 * Programming errors and refusals: the same arguments give the same failure again.
	 * Only the failure's own class counts: a failed call may have one of these among its
	 * causes.
	 */
	private static final List<Class<? extends Throwable>> BUILT_IN = List.of(NullPointerException.class,
			ClassCastException.class, IndexOutOfBoundsException.class, ArithmeticException.class,
			IllegalArgumentException.class, UnsupportedOperationException.class, ArrayStoreException.class,
			NegativeArraySizeException.class, SecurityException.class, java.nio.file.AccessDeniedException.class);

	private static final Set<Class<?>> REFUSALS = Set.of(SecurityException.class,
			java.nio.file.AccessDeniedException.class);

	/*
	 * A classifier may throw. The call then ends with the failure that was to be judged,
	 * and names what was thrown instead.
	 */
	Outcome judge(Throwable failure, CallState call) {
		try {
			return judgeUnguarded(failure, isOfRequest(failure, call), call);
		}
		catch (Throwable ex) {
			return Outcome.ofRefused(AttemptOutcome.PERMANENT, failure,
					Decision.notRetryable("a classifier failed", ex));
		}
	}

	/* Return whether an HTTP client has reported the failure, and note its request. */
	private boolean isOfRequest(Throwable failure, CallState call) {
		boolean ofRequest = false;
		for (FailureClassifier classifier : this.policy.classifiers()) {
			FailureClassifier.FailedRequest request = classifier.failedRequest(failure);
			ofRequest |= request != null;
			if (request != null && request.method() != null) {
				call.requested = request.uri();
				AttemptContext.report(call, UnsafeRequest.of(request.method(), request.uri()), AttemptReports::failed);
				break;
			}
		}
		return ofRequest;
	}

	private Outcome judgeUnguarded(Throwable failure, boolean ofRequest, CallState call) {
		Throwable thrown = Causes.thrown(failure);
		if (thrown instanceof Error && !isListedError(thrown)) {
			return refuse(AttemptOutcome.ERROR, failure, Decision.name(thrown)
					+ (Outcome.isFatal(thrown) ? " is never retried" : " is an Error" + toRetry("it")));
		}
		// a cancellation by the caller does not come here: it has ended the call
		boolean interrupted = thrown instanceof CancellationException && Thread.currentThread().isInterrupted();
		if (thrown instanceof InterruptedException || interrupted) {
			return Outcome.ofRefused(AttemptOutcome.CANCELLED, failure, new Decision.Stop(StopReason.INTERRUPTED,
					Decision.name(thrown) + (interrupted ? " of an interrupted thread" : "") + " is never retried"));
		}
		if (CircuitOpenException.isRefusal(thrown.getClass())) {
			return refuse(failure, Decision.name(thrown) + " is never retried");
		}
		Throwable fatal = Causes.find(failure, (cause) -> cause instanceof VirtualMachineError);
		if (fatal != null) {
			return refuse(AttemptOutcome.ERROR, failure,
					Decision.name(failure) + " is never retried because of " + Decision.name(fatal));
		}
		if (failure instanceof AttemptTimeoutException timeout && isOf(call, timeout)) {
			return judgeTimeout(timeout, call);
		}
		Throwable settled = this.policy.isNestedMultiply() ? null
				: Causes.find(failure, (cause) -> handledInside(call, cause) != null);
		RetriesStoppedException inner = (settled != null) ? handledInside(call, settled) : null;
		if (inner != null && inner.reason() != StopReason.CANCELLED) {
			return nested(failure, inner);
		}
		Class<?> abort = listed(this.policy.abortOn(), failure);
		if (abort != null) {
			return aborted(AttemptOutcome.ABORTED, failure, abort);
		}
		return classify(failure, thrown, ofRequest, call);
	}

	/*
	 * Return the stop report of the call inside the running attempt that has thrown this
	 * failure and handled it. Where no context reached that call, the failure carries it.
	 */
	private static @Nullable RetriesStoppedException handledInside(CallState call, Throwable failure) {
		AttemptContext context = call.contextIfAny();
		RetriesStoppedException noted = (context != null) ? context.handledInside(failure, false) : null;
		if (noted != null) {
			return noted;
		}
		RetriesStoppedException mark = RetriesStoppedException.on(failure);
		return (mark != null && mark.settledSince(call.attemptStart)) ? mark : null;
	}

	/*
	 * A call inside has no more time than the attempt around it. Both time out together,
	 * whichever timer is first.
	 */
	private boolean isOf(CallState call, AttemptTimeoutException failure) {
		boolean limited = this.policy.attemptTimeoutNanos() != Nanos.UNLIMITED;
		return handledInside(call, failure) == null || (limited && call.attemptTimeLeft() <= 0);
	}

	/*
	 * The cause of a timeout is what our interrupt made the work throw. It says nothing
	 * of the dependency, so no classifier counts, and of inner calls only one whose work
	 * must not be repeated.
	 */
	private Outcome judgeTimeout(AttemptTimeoutException failure, CallState call) {
		AttemptContext context = call.contextIfAny();
		for (Throwable cause : this.policy.isNestedMultiply() ? List.<Throwable>of() : Causes.of(failure)) {
			RetriesStoppedException inner = (context != null) ? context.handledInside(cause, true) : null;
			if (inner != null) {
				return Outcome.ofRefused(AttemptOutcome.TIMEOUT, failure, Decision.nested(inner));
			}
		}
		Class<?> abort = firstOf(this.policy.abortOn(), failure);
		if (abort != null) {
			return aborted(AttemptOutcome.TIMEOUT, failure, abort);
		}
		if (!this.policy.retryOn().isEmpty() && firstOf(this.policy.retryOn(), failure) == null) {
			return unlisted(AttemptOutcome.TIMEOUT, failure);
		}
		return unlessApplied(Outcome.ofTimeout(failure), false, call);
	}

	/* An interruption ends the outer call too, without a recovery. */
	private static Outcome nested(Throwable failure, RetriesStoppedException inner) {
		return inner.reason().isRecoverable()
				? Outcome.ofRefused(AttemptOutcome.TRANSIENT, failure, Decision.nested(inner)) : Outcome.ofRefused(
						AttemptOutcome.CANCELLED, failure, new Decision.Stop(inner.reason(), "a call inside was"));
	}

	private Outcome classify(Throwable failure, Throwable thrown, boolean ofRequest, CallState call) {
		FailureClassification known = classification(failure);
		boolean permanent = known != null && known.kind() == FailureClassification.Kind.PERMANENT;
		if (known != null && permanent && known.isRetryableByKey() && isByKey(call)) {
			return Outcome.ofRetryable(failure, known);
		}
		Class<?> listed = listed(this.policy.retryOn(), failure);
		if (listed == null && !this.policy.retryOn().isEmpty()) {
			return unlisted(AttemptOutcome.PERMANENT, failure);
		}
		Class<?> judged = (known != null) ? known.judgedType() : firstOf(BUILT_IN, thrown);
		boolean hopeless = permanent || (known == null && judged != null && !this.policy.isJudgedByLists());
		if (hopeless && !isReached(judged, failure)) {
			String why = permanent ? permanent(failure)
					: Decision.name(thrown) + (REFUSALS.contains(judged) ? " is a refusal" : " is a programming error");
			String name = !permanent ? "it" : (judged != null) ? judged.getSimpleName() : Decision.name(thrown);
			String unreached = (listed == null) ? ""
					: ", which " + listed.getSimpleName() + " in " + this.policy.retryOnName() + " does not reach";
			return Outcome.ofRefused(AttemptOutcome.PERMANENT, failure,
					new Decision.Stop(StopReason.NOT_RETRYABLE, why + unreached + toRetry(name), null, listed != null));
		}
		if (listed == null && known == null && !(thrown instanceof Exception)) {
			return refuse(failure, Decision.name(thrown) + " is no Exception" + toRetry("it"));
		}
		return unlessApplied(Outcome.ofRetryable(failure, permanent ? null : known), ofRequest, call);
	}

	private String toRetry(String name) {
		return "; name " + name + " in " + this.policy.retryOnName() + " to retry";
	}

	/* The list names the failure's own class, or the judged type or one below it. */
	private boolean isReached(@Nullable Class<?> judged, Throwable failure) {
		List<Class<? extends Throwable>> retryOn = this.policy.retryOn();
		return retryOn.contains(failure.getClass()) || retryOn.contains(Causes.thrown(failure).getClass())
				|| (judged != null
						&& listed(retryOn.stream().filter(judged::isAssignableFrom).toList(), failure) != null);
	}

	/* Name the innermost cause that is permanent by itself: it has decided. */
	private String permanent(Throwable failure) {
		Throwable decided = failure;
		for (Throwable cause : Causes.of(failure)) {
			FailureClassification alone = classification(cause);
			if (alone != null && alone.kind() == FailureClassification.Kind.PERMANENT) {
				decided = cause;
			}
		}
		return Decision.name(failure) + " is permanent"
				+ ((decided != failure) ? " because of " + Decision.name(decided) : "");
	}

	/*
	 * The outcome keeps its kind: a failure of the dependency, retried or not. What a
	 * client says of its own request tells nothing of a request before.
	 */
	private Outcome unlessApplied(Outcome retryable, boolean ofRequest, CallState call) {
		Idempotency idempotency = this.policy.idempotency();
		if (idempotency == Idempotency.NO && retryable.mayBeApplied()) {
			return retryable.refusedAs(Decision.notRetryable("the work may have been applied and is not idempotent"));
		}
		AttemptContext context = call.contextIfAny();
		UnsafeRequest unsafe = (context != null) ? context.unsafeRequest() : null;
		FailureClassification known = retryable.classification();
		boolean judged = idempotency == Idempotency.BY_METHOD || (idempotency == Idempotency.BY_KEY && !isByKey(call));
		if (!judged || unsafe == null || this.policy.maxAttempts() == 1
				|| (ofRequest && known != null && known.isUnapplied() && unsafe.isAlone())) {
			return retryable;
		}
		return retryable.refusedAs(Decision.mayBeApplied(unsafe.toString(), idempotency == Idempotency.BY_KEY,
				this.policy.isIdempotencySet()));
	}

	/* Without its key, the server could not tell a repeated request from a new one. */
	private boolean isByKey(CallState call) {
		AttemptContext context = call.contextIfAny();
		return this.policy.idempotency() == Idempotency.BY_KEY && context != null && context.isKeyAsked();
	}

	private @Nullable FailureClassification classification(Throwable failure) {
		for (FailureClassifier classifier : this.policy.isJudgedByLists() ? List.<FailureClassifier>of()
				: this.policy.classifiers()) {
			FailureClassification answer = classifier.classify(failure);
			if (answer != null) {
				return answer;
			}
		}
		return null;
	}

	private @Nullable Class<?> listed(List<Class<? extends Throwable>> types, Throwable failure) {
		if (types.isEmpty()) {
			return null;
		}
		for (Throwable candidate : this.policy.matchCauses() ? Causes.of(failure) : List.of(failure)) {
			Class<?> type = firstOf(types, candidate);
			if (type != null) {
				return type;
			}
		}
		return null;
	}

	private boolean isListedError(Throwable failure) {
		return !Outcome.isFatal(failure) && this.policy.retryOn()
			.stream()
			.anyMatch((type) -> Error.class.isAssignableFrom(type) && type.isInstance(failure));
	}

	private static @Nullable Class<?> firstOf(List<Class<? extends Throwable>> types, Throwable failure) {
		// a stream allocates, and each failure asks
		for (Class<?> type : types) {
			if (type.isInstance(failure)) {
				return type;
			}
		}
		return null;
	}

	private Outcome aborted(AttemptOutcome kind, Throwable failure, Class<?> listed) {
		return refuse(kind, failure, listed.getSimpleName() + " is listed in " + this.policy.abortOnName(listed));
	}

	private Outcome unlisted(AttemptOutcome kind, Throwable failure) {
		return refuse(kind, failure, Decision.name(failure) + " is not listed in " + this.policy.retryOnName());
	}

	private static Outcome refuse(Throwable failure, String why) {
		return refuse(AttemptOutcome.PERMANENT, failure, why);
	}

	private static Outcome refuse(AttemptOutcome kind, Throwable failure, String why) {
		return Outcome.ofRefused(kind, failure, Decision.notRetryable(why));
	}

}
