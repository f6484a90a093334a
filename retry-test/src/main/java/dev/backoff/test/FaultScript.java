package dev.backoff.test;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;

import dev.backoff.Operation;
import dev.backoff.OutboundRequest;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;

/**
 * Faults that happen to attempts in place of their work, before it or after it. <pre>
 * script.losesTheAnswer(2).answers(503, Duration.ofSeconds(3)).times(2).passes();
 * </pre> Each step is for a number of attempts; all calls of a script share its steps. A
 * step without a number repeats for ever, so adding a step after it throws
 * {@link IllegalStateException}. If all steps have a number, later attempts do their
 * work. Numbers are 1 or more, durations zero or more. Thread-safe.
 *
 * @since 0.1
 */
public final class FaultScript {

	private final RetryTime time;

	private final long seed;

	/* One for each attempt. */
	private final Queue<Action> numbered = new ArrayDeque<>();

	private volatile @Nullable String sent;

	/* Repeats for ever after them. */
	private @Nullable Action last;

	/** Begin a script without steps, whose durations pass in the given time. */
	public FaultScript(RetryTime time) {
		this(Objects.requireNonNull(time, "time"), 1);
	}

	FaultScript(RetryTime time, long seed) {
		this.time = time;
		this.seed = seed;
	}

	/** Fail with an {@link IOException}. */
	public FaultScript fails() {
		return replaces(() -> new IOException("fault: fails()"));
	}

	/** Fail a number of times with an {@link IOException}. */
	public FaultScript fails(int times) {
		return fails().times(times);
	}

	/** Fail a number of times with what the supplier makes. */
	public FaultScript fails(int times, Supplier<? extends Throwable> failure) {
		Objects.requireNonNull(failure, "failure");
		return replaces(failure::get).times(times);
	}

	/**
	 * Let each attempt whose work a later step replaces count as having sent a request
	 * with this HTTP method, and with its key if the policy is {@code by-key}.
	 */
	public FaultScript sends(String method) {
		this.sent = Objects.requireNonNull(method, "method");
		return this;
	}

	private FaultScript replaces(Operation<? extends Throwable, Throwable> failure) {
		String method = this.sent;
		return add((work) -> {
			Recording.workIsReplaced();
			OutboundRequest request = (method != null) ? OutboundRequest.begin(method, null) : null;
			String unused = (request != null) ? request.idempotencyKey() : null;
			throw failure.run();
		});
	}

	/**
	 * Fail as Spring's {@code RestClient} does if the server answers with a status from
	 * 400 to 599. Needs spring-web.
	 */
	public FaultScript answers(int status) {
		return failsBySpring(() -> Web.answer(status, null));
	}

	/**
	 * Fail as {@link #answers(int)} does, with {@code Retry-After} in seconds, rounded
	 * up.
	 */
	public FaultScript answers(int status, Duration retryAfter) {
		return failsBySpring(() -> Web.answer(status, retryAfter));
	}

	/** Fail as {@code RestClient} does if nothing listens. Needs spring-web. */
	public FaultScript refusesConnections() {
		return failsBySpring(() -> Web.broken(new ConnectException("Connection refused")));
	}

	/** Fail as {@code RestClient} does if the connection breaks. Needs spring-web. */
	public FaultScript resets() {
		return failsBySpring(() -> Web.broken(new SocketException("Connection reset")));
	}

	/* Made once at first, so that a wrong step is reported where it is written. */
	private FaultScript failsBySpring(Supplier<Throwable> failure) {
		try {
			Throwable unused = failure.get();
		}
		catch (NoClassDefFoundError ex) {
			throw new IllegalStateException(
					"This step needs spring-web, which is not there. Add it, or write fails(n, YourException::new).",
					ex);
		}
		return replaces(failure::get);
	}

	/**
	 * Hang, then fail with a {@link SocketTimeoutException}. The thread that starts the
	 * attempt sleeps and can be interrupted.
	 */
	public FaultScript hangs(Duration duration) {
		long nanos = Nanos.notNegative("duration", duration);
		return replaces(() -> {
			this.time.sleep(nanos);
			return new SocketTimeoutException("fault: hangs(" + DurationText.exact(duration) + ")");
		});
	}

	/** Do the work, then fail with an {@link IOException}, a number of times. */
	public FaultScript losesTheAnswer(int times) {
		return add((work) -> fail(work.run(), new IOException("fault: losesTheAnswer(" + times + ")"))).times(times);
	}

	/** Let time pass, then do the work. */
	public FaultScript takes(Duration duration) {
		long nanos = Nanos.notNegative("duration", duration);
		return add((work) -> {
			this.time.sleep(nanos);
			return work.run();
		});
	}

	/** Do the work. */
	public FaultScript passes() {
		return add(Operation::run);
	}

	/** Do the work a number of times. */
	public FaultScript passes(int times) {
		return passes().times(times);
	}

	/**
	 * Apply another script to a share of the attempts, from 0 to 100 percent. The seed of
	 * the test decides which; the other attempts do their work.
	 */
	public FaultScript percent(int percent, FaultScript script) {
		if (Objects.requireNonNull(script, "script") == this) {
			throw new IllegalArgumentException("Invalid script (this one): must be another one, or it has no end.");
		}
		Random random = new Random(this.seed);
		return add((work) -> ((random.nextInt(100) < percent) ? script.around(work) : work).run());
	}

	/** Set the number of attempts of the last step, which has none yet. */
	public synchronized FaultScript times(int times) {
		if (this.last == null || times < 1) {
			throw new IllegalStateException(
					"Invalid times (" + times + "): must be 1 or more, and follow a step without a number.");
		}
		this.numbered.addAll(Collections.nCopies(times, this.last));
		this.last = null;
		return this;
	}

	private synchronized FaultScript add(Action action) {
		if (this.last != null) {
			throw new IllegalStateException("The step before repeats for ever; write times(n) between the two.");
		}
		this.last = action;
		return this;
	}

	/**
	 * Return an operation for {@code Retry.call} that runs the given one as the script
	 * says. It throws what the script says, even checked exceptions.
	 */
	@SuppressWarnings({ "unchecked", "NullAway" }) // T says itself whether it may be null
	public <T extends @Nullable Object, X extends Throwable> Operation<T, X> around(Operation<T, X> operation) {
		Objects.requireNonNull(operation, "operation");
		return () -> {
			try {
				return (T) next().run(operation);
			}
			catch (Throwable ex) {
				throw (X) ex;
			}
		};
	}

	private synchronized Action next() {
		Action next = this.numbered.poll();
		return (next != null) ? next : (this.last != null) ? this.last : Operation::run;
	}

	/* A result that is there later fails when it would have been there. */
	private static Object fail(@Nullable Object result, Throwable failure) throws Throwable {
		if (result instanceof CompletionStage<?> stage) {
			return stage.thenCompose((value) -> CompletableFuture.failedFuture(failure));
		}
		try {
			return Publishers.fail(result, failure);
		}
		catch (NoClassDefFoundError ex) {
			throw failure;
		}
	}

	/** What happens to one attempt. */
	@FunctionalInterface
	private interface Action {

		@Nullable Object run(Operation<?, ?> work) throws Throwable;

	}

	/** Used only with Spring and Reactor. */
	private static final class Publishers {

		/** Return a publisher that fails at the end of another; throw if that is none. */
		static Object fail(@Nullable Object publisher, Throwable failure) throws Throwable {
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, publisher);
			if (adapter == null) {
				throw failure;
			}
			return adapter.fromPublisher(Flux.from(adapter.toPublisher(publisher)).thenMany(Flux.error(failure)));
		}

	}

	/** Used only with spring-web. */
	private static final class Web {

		static Throwable answer(int code, @Nullable Duration retryAfter) {
			if (code < 400 || code > 599) {
				throw new IllegalArgumentException("Invalid status (" + code + "): must be from 400 to 599.");
			}
			HttpStatusCode status = HttpStatusCode.valueOf(code);
			String text = (status instanceof HttpStatus known) ? known.getReasonPhrase() : "";
			HttpHeaders headers = new HttpHeaders();
			if (retryAfter != null) {
				headers.set(HttpHeaders.RETRY_AFTER, String.valueOf(retryAfter.minusNanos(1).toSeconds() + 1));
			}
			return (code < 500) ? HttpClientErrorException.create(status, text, headers, new byte[0], null)
					: HttpServerErrorException.create(status, text, headers, new byte[0], null);
		}

		static Throwable broken(IOException cause) {
			return new ResourceAccessException(cause.getMessage() + " (fault)", cause);
		}

	}

}
