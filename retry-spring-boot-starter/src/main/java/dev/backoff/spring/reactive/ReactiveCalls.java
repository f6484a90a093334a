package dev.backoff.spring.reactive;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import dev.backoff.AsyncOperation;
import dev.backoff.Recovery;
import dev.backoff.Retry;
import dev.backoff.RetryContext;
import dev.backoff.event.CallObserver;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.spring.http.RetryContextAccessor;

/**
 * The calls of one method that returns a publisher. Nothing happens before a
 * subscription, and two subscriptions are two calls. Thread-safe.
 * <p>
 * The subscriber's Reactor context is that of each attempt, with the attempt added: calls
 * further inside find it there, on whatever thread they are subscribed to. Where there is
 * no attempt in the subscriber's context, the one that runs on the subscribing thread
 * counts.
 *
 * @param <C> what the method is invoked with
 * @since 0.1
 */
public final class ReactiveCalls<C> {

	private static final CallObserver.Scope NOTHING = () -> {
	};

	private final Retry retry;

	private final ReactiveMethod<C> method;

	private final @Nullable ObservationCarrier observations;

	/**
	 * Make the calls of a method.
	 * @param retry the method's retry
	 * @param method the method
	 * @param observations carries what is observed, or null if nothing is
	 */
	public ReactiveCalls(Retry retry, ReactiveMethod<C> method, @Nullable ObservationCarrier observations) {
		this.retry = retry;
		this.method = method;
		this.observations = observations;
	}

	/**
	 * Return what the caller subscribes to.
	 * @param context what the method is invoked with
	 * @return a publisher of the method's kind
	 */
	public Object publisher(C context) {
		Publisher<Object> publisher = this.method.severalResults() ? new RetriedFlux<>(this, context)
				: Mono.create((sink) -> new MonoCall<>(this, context, sink).start());
		return (this.method.adapter() != null) ? this.method.adapter().fromPublisher(publisher) : publisher;
	}

	/** Start a call whose subscriber has the given context. */
	@SuppressWarnings("NullAway") // it does not see that the values may be null
	CompletableFuture<@Nullable Object> start(C context, Call<C> call, ContextView around) {
		CallObserver.Scope observed = openObservation(around);
		try {
			return startObserved(context, call, around);
		}
		finally {
			observed.close();
		}
	}

	@SuppressWarnings("NullAway") // it does not see that the values may be null
	private CompletableFuture<@Nullable Object> startObserved(C context, Call<C> call, ContextView around) {
		Call<C> recovery = (this.method.recovery() != null) ? call : null;
		if (!(around.getOrDefault(RetryContextAccessor.KEY, null) instanceof RetryContext enclosing)) {
			return this.retry.callAsyncOn(context, call, recovery);
		}
		RetryContext.Scope scope = enclosing.open();
		try {
			return this.retry.callAsyncOn(context, call, recovery);
		}
		finally {
			scope.close();
		}
	}

	/**
	 * Return the subscriber's context with the attempt that runs on this thread, and what
	 * is observed here.
	 */
	Context withAttempt(ContextView around) {
		RetryContext attempt = RetryContext.capture();
		Context context = attempt.isEmpty() ? Context.of(around)
				: Context.of(around).put(RetryContextAccessor.KEY, attempt);
		Object observation = observation();
		return (this.observations != null && observation != null) ? context.put(this.observations.key(), observation)
				: context;
	}

	/** Return what is observed on this thread, or null. */
	@Nullable Object observation() {
		return (this.observations != null) ? this.observations.current() : null;
	}

	/** Let what runs here belong to what a context carries, if it carries anything. */
	CallObserver.Scope openObservation(ContextView context) {
		Object carried = (this.observations != null) ? context.getOrDefault(this.observations.key(), null) : null;
		return (carried != null) ? openObservation(carried) : NOTHING;
	}

	/** Let what runs here belong to what was observed elsewhere, or to nothing. */
	CallObserver.Scope openObservation(@Nullable Object observation) {
		return (this.observations != null) ? this.observations.open(observation) : NOTHING;
	}

	/** Invoke the method. */
	Publisher<?> invoke(C context) throws Throwable {
		return adapt(this.method.invocation().invoke(context), "");
	}

	/** Return whether the method's recovery accepts a stop. */
	boolean accepts(RetriesStoppedException stopped) {
		return this.method.recovery() != null && this.method.recovery().accepts(stopped);
	}

	/** Invoke the method's recovery. */
	Publisher<?> recover(C context, RetriesStoppedException stopped) throws Throwable {
		if (this.method.recovery() == null) {
			throw new IllegalStateException("There is no recovery of " + this.retry.method());
		}
		return adapt(this.method.recovery().recover(context, stopped), "The recovery of ");
	}

	private Publisher<?> adapt(@Nullable Object returned, String what) {
		if (returned == null) {
			throw new NullPointerException(what + this.retry.method() + " returned null instead of a publisher");
		}
		return (this.method.adapter() != null) ? this.method.adapter().toPublisher(returned) : (Publisher<?>) returned;
	}

	/** Return whether a call is retried though elements have been passed on. */
	boolean isReplayed() {
		return this.method.replayed().getAsBoolean();
	}

	/**
	 * One subscription.
	 *
	 * @param <C> what the method is invoked with
	 */
	interface Call<C> extends AsyncOperation.OnContext<C, @Nullable Object>,
			Recovery<C, CompletionStage<@Nullable Object>, Throwable> {

	}

}
