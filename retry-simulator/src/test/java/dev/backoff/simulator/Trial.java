package dev.backoff.simulator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.backoff.Retry;
import dev.backoff.event.RetryListener;

/**
 * Processes with real retries and budgets, before servers that a {@link Scenario} does
 * not have. Clients give up an attempt after a second.
 */
final class Trial {

	private static final Duration BEFORE = Duration.ofSeconds(10);

	private static final long LATENCY = 20_000_000;

	private static final long TIMEOUT = 1_000_000_000;

	private final EventQueue time = new EventQueue();

	private final SplittableRandom random;

	private final List<Retry> processes;

	private final long faultEnd;

	private final Duration after;

	private Server server = (answer) -> {
	};

	private double poison;

	private Course course = new Course(BEFORE, BEFORE, BEFORE);

	private boolean lone;

	private long calls;

	private long requests;

	private long succeeded;

	/** What becomes of a request, which may never be answered. */
	interface Server {

		void take(CompletableFuture<Boolean> answer);

	}

	Trial(SimulatedPolicy policy, int processes, Duration fault, Duration after, long seed) {
		this.random = new SplittableRandom(seed);
		this.processes = IntStream.range(0, processes)
			.mapToObj((process) -> policy.caller(this.time, this.random::nextDouble, new RetryListener() {
			}, policy.newBudget(this.time)))
			.toList();
		this.faultEnd = BEFORE.plus(fault).toNanos();
		this.after = after;
	}

	/** In the fault, a share of the requests gets no answer, or one that is a failure. */
	Trial failing(double share, boolean silent) {
		return failing(share, 0, silent);
	}

	/** The same, and after it another share of the requests, while no call begins. */
	Trial failing(double share, double later, boolean silent) {
		this.lone = later > 0;
		this.server = (answer) -> {
			boolean good = this.random.nextDouble() >= (isInFault() ? share : isOver() ? later : 0);
			if (good || !silent) {
				this.time.schedule(() -> answer.complete(good), LATENCY);
			}
		};
		return this;
	}

	/** Each attempt of a share of the calls in the fault gets no answer. */
	Trial poisoned(double share) {
		this.poison = share;
		return this;
	}

	/** One server with a queue begins no request in the fault. */
	Trial stalling(double capacity, boolean inOrder) {
		this.server = new Queue((long) (1e9 / capacity), inOrder);
		return this;
	}

	/** Let calls arrive at random, to the end of the time after the fault. */
	Trial run(double perSecond) {
		this.course = Course.of(BEFORE, Duration.ofNanos(this.faultEnd).minus(BEFORE), this.after, perSecond);
		this.time.schedule(() -> arrive(perSecond), untilNext(perSecond));
		this.time.runUntil(this.faultEnd + this.after.toNanos());
		return this;
	}

	private void arrive(double perSecond) {
		if (this.lone && isOver()) {
			return;
		}
		this.time.schedule(() -> arrive(perSecond), untilNext(perSecond));
		boolean poisoned = this.poison > 0 && this.random.nextDouble() < this.poison;
		boolean counts = isInFault() && !poisoned;
		this.calls += counts ? 1 : 0;
		CompletableFuture<?> unused = this.processes.get(this.random.nextInt(this.processes.size()))
			.callAsync(() -> attempt(poisoned))
			.whenComplete((good, failure) -> this.succeeded += (counts && Boolean.TRUE.equals(good)) ? 1 : 0);
	}

	private long untilNext(double perSecond) {
		return (long) (-StrictMath.log(1 - this.random.nextDouble()) / perSecond * 1e9);
	}

	private CompletionStage<Boolean> attempt(boolean poisoned) {
		this.requests += isInFault() ? 1 : 0;
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		CompletableFuture<Boolean> unused = answer.whenComplete((good, failure) -> {
			if (failure == null) {
				this.course.success(this.time.nanoTime());
			}
			else {
				this.course.failure(this.time.nanoTime());
			}
		});
		if (!poisoned) {
			this.server.take(answer);
		}
		this.time.schedule(() -> answer.completeExceptionally(new TimedOutException()), TIMEOUT);
		return answer;
	}

	private boolean isOver() {
		return this.time.nanoTime() >= this.faultEnd;
	}

	private boolean isInFault() {
		return this.time.nanoTime() >= BEFORE.toNanos() && this.time.nanoTime() < this.faultEnd;
	}

	/** Return how many items a loop of so many threads loses. */
	static int lost(SimulatedPolicy policy, int threads, int items, int leastFailures, int mostFailures) {
		return lost(policy, threads, items, leastFailures, mostFailures, 0);
	}

	/** The same, with a share of the attempts that get no answer in time. */
	static int lost(SimulatedPolicy policy, int threads, int items, int leastFailures, int mostFailures,
			double silent) {
		Trial trial = new Trial(policy, 1, Duration.ZERO, Duration.ZERO, 1);
		List<Integer> failures = new ArrayList<>(IntStream.range(0, items)
			.mapToObj((item) -> leastFailures + item % (mostFailures - leastFailures + 1))
			.toList());
		IntStream.range(0, threads).forEach((thread) -> trial.work(failures, silent));
		trial.time.runUntil(Long.MAX_VALUE);
		return items - (int) trial.succeeded;
	}

	private void work(List<Integer> items, double silent) {
		if (items.isEmpty()) {
			return;
		}
		AtomicInteger failures = new AtomicInteger(items.remove(0));
		CompletableFuture<?> unused = this.processes.get(0).callAsyncOn("item", (item, attempt) -> {
			CompletableFuture<Boolean> answer = new CompletableFuture<>();
			if (this.random.nextDouble() >= silent) {
				boolean good = failures.getAndDecrement() <= 0;
				this.time.schedule(() -> answer.complete(good), LATENCY);
			}
			this.time.schedule(() -> answer.completeExceptionally(new TimedOutException()), TIMEOUT);
			return answer;
		}, null).whenComplete((good, failure) -> {
			this.succeeded += Boolean.TRUE.equals(good) ? 1 : 0;
			work(items, silent);
		});
	}

	/** Return the requests in the fault for each call that began in it. */
	double load() {
		return this.requests / (double) this.calls;
	}

	long requests() {
		return this.requests;
	}

	long calls() {
		return this.calls;
	}

	/**
	 * Return the share of the calls begun in the fault, without those that are poisoned,
	 * that succeeded by the end.
	 */
	double success() {
		return this.succeeded / (double) this.calls;
	}

	/** Return after what time 95 % of the requests are answered in time. */
	double recoverySeconds() {
		return this.course.recoverySeconds().orElse(Double.POSITIVE_INFINITY);
	}

	/** Requests that wait for one server, which does not notice that clients give up. */
	private final class Queue implements Server {

		private final List<CompletableFuture<Boolean>> waiting = new ArrayList<>();

		private final long slot;

		private final boolean inOrder;

		private boolean busy;

		Queue(long slot, boolean inOrder) {
			this.slot = slot;
			this.inOrder = inOrder;
		}

		@Override
		public void take(CompletableFuture<Boolean> answer) {
			this.waiting.add(answer);
			if (!this.busy) {
				this.busy = true;
				serve();
			}
		}

		private void serve() {
			EventQueue time = Trial.this.time;
			if (isInFault()) {
				time.schedule(this::serve, Trial.this.faultEnd - time.nanoTime());
				return;
			}
			int next = this.inOrder ? 0 : Trial.this.random.nextInt(this.waiting.size());
			Collections.swap(this.waiting, next, this.inOrder ? 0 : this.waiting.size() - 1);
			CompletableFuture<Boolean> served = this.waiting.remove(this.inOrder ? 0 : this.waiting.size() - 1);
			time.schedule(() -> {
				served.complete(true);
				this.busy = !this.waiting.isEmpty();
				if (this.busy) {
					serve();
				}
			}, this.slot);
		}

	}

}
