package dev.backoff.simulator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import dev.backoff.Attempt;
import dev.backoff.Retry;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.pace.Pace;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.simulator.QuotaServer.Answer;
import dev.backoff.simulator.QuotaServer.Kind;

/**
 * Callers of a server with a quota, each of which calls again some time after its call
 * has ended; or a batch, of which each calls once. Each process is a real {@link Retry}.
 * Everything is drawn from one seed. Not thread-safe.
 */
final class PaceTrial {

	private static final RetryPolicy POLICY = RetryPolicy.builder("ai")
		.base(Duration.ofSeconds(1))
		.cap(Duration.ofSeconds(10))
		.classifiers(List.of(ThrottledException::classify))
		.build();

	private final EventQueue time = new EventQueue();

	private final QuotaServer server;

	private final SplittableRandom chance;

	private final List<Retry> processes = new ArrayList<>();

	/* The mean, in seconds; 0 in a batch. */
	private final double think;

	private final double[] waits;

	private final int[] served;

	private int calls;

	private int lost;

	private double end;

	private PaceTrial(Setup setup, boolean paced, long seed) {
		Kind kind = setup.kind;
		this.server = new QuotaServer(kind, -seed);
		this.chance = new SplittableRandom(seed);
		// with an attempt that takes a second
		this.think = setup.callers * kind.seconds() / (setup.demand * kind.limit()) - 1;
		this.waits = new double[setup.callers];
		this.served = new int[setup.callers];
		for (int i = 0; i < setup.processes; i++) {
			this.processes.add(retry(paced));
		}
		for (int i = 0; i < setup.callers; i++) {
			int caller = i;
			boolean again = setup.demand > 0;
			after(again ? untilNext() : 60, () -> call(caller, again));
		}
	}

	/** Run callers for some minutes, or a batch to its end. */
	static Result run(Setup setup, boolean paced) {
		int seeds = 3;
		Result sum = new Result(0, 0, 0, 0, 0);
		for (long seed = 1; seed <= seeds; seed++) {
			PaceTrial trial = new PaceTrial(setup, paced, seed);
			trial.time.runUntil((long) (setup.minutes * 60e9));
			sum = sum.plus(trial.result(setup.minutes * 60.0), seeds);
		}
		return sum;
	}

	private Retry retry(boolean paced) {
		Pace pace = new Pace("ai", Duration.ofMinutes(1), 1000, this.time, (held, hold) -> {
		});
		return Retry.builder(POLICY)
			.time(this.time)
			.random(this.chance::nextDouble)
			.executor(Runnable::run)
			.budget(RetryBudget.of("ai", BudgetSettings.DEFAULTS, this.time, RetryBudget.Listener.NONE))
			.pace(paced ? pace : null)
			.build();
	}

	private void after(double seconds, Runnable task) {
		this.time.schedule(task, (long) (seconds * 1e9));
	}

	private double untilNext() {
		return -StrictMath.log(1 - this.chance.nextDouble()) * this.think;
	}

	private void call(int caller, boolean again) {
		this.calls++;
		long begun = this.time.nanoTime();
		double cost = 20 + 160 * this.chance.nextDouble();
		CompletableFuture<?> unused = this.processes.get(caller % this.processes.size())
			.callAsync(() -> attempt(cost))
			.whenComplete((start, failure) -> {
				if (failure == null) {
					this.waits[caller] += (start - begun) / 1e9;
					this.served[caller]++;
				}
				this.lost += (failure != null) ? 1 : 0;
				this.end = this.time.nanoTime() / 1e9 - 60;
				if (again) {
					after(untilNext(), () -> call(caller, true));
				}
			});
	}

	private CompletionStage<Long> attempt(double cost) {
		long start = this.time.nanoTime();
		Attempt attempt = Attempt.current();
		Answer answer = this.server.ask(start / 1e9, cost);
		CompletableFuture<Long> result = new CompletableFuture<>();
		after((answer.refusal() == null) ? 0.5 + this.chance.nextDouble() : 0.05, () -> {
			attempt.quota(answer.told());
			boolean unused = (answer.refusal() == null) ? result.complete(start)
					: result.completeExceptionally(answer.refusal());
		});
		return result;
	}

	private Result result(double seconds) {
		double sum = 0;
		int count = 0;
		double worst = 0;
		for (int caller = 0; caller < this.waits.length; caller++) {
			sum += this.waits[caller];
			count += this.served[caller];
			worst = Math.max(worst, (this.served[caller] > 0) ? this.waits[caller] / this.served[caller] : seconds);
		}
		return new Result(this.server.goodput(seconds), this.server.refused(), 100.0 * this.lost / this.calls,
				worst / Math.max(0.01, sum / Math.max(1, count)), this.end);
	}

	/**
	 * Who calls.
	 *
	 * @param demand how many times the quota is wanted, or 0 for a batch
	 */
	record Setup(Kind kind, int processes, int callers, double demand, int minutes) {

	}

	/**
	 * What came of it, in percent.
	 *
	 * @param worst the mean wait of the worst caller by the mean of all
	 * @param end when the last call had ended, in seconds after the start of a batch
	 */
	record Result(double goodput, double refused, double lost, double worst, double end) {

		Result plus(Result other, int parts) {
			return new Result(this.goodput + other.goodput / parts, this.refused + other.refused / parts,
					this.lost + other.lost / parts, this.worst + other.worst / parts, this.end + other.end / parts);
		}

		@Override
		public String toString() {
			return String.format(Locale.ROOT, "%.1f · %.2f · %.1f / %.2f, %.0f s", this.goodput, this.refused,
					this.lost, this.worst, this.end);
		}

	}

}
