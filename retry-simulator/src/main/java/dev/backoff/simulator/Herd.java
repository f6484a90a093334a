package dev.backoff.simulator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import dev.backoff.Retry;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.RetryListener;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime.Cancellable;

/**
 * The times at which attempts start in calls that begin at the same moment and whose
 * attempts all fail, for example because a load balancer dropped all its connections.
 * Budgets, breakers and slots are left out. Not thread-safe.
 *
 * @since 0.1
 */
public final class Herd {

	/** The most attempts of a call that are made: {@value}. */
	public static final int MOST_ATTEMPTS = 100;

	private final EventQueue time = new EventQueue();

	private final long attemptNanos;

	private final List<Member> members = new ArrayList<>();

	private Herd(long attemptNanos) {
		this.attemptNanos = attemptNanos;
	}

	/**
	 * Simulate calls whose attempts fail.
	 * @param policy their policy
	 * @param calls how many
	 * @param attempt how long each attempt takes
	 * @param seed the seed of the draws
	 * @return what the calls did
	 */
	public static Herd of(SimulatedPolicy policy, int calls, Duration attempt, long seed) {
		return of(policy, calls, attempt, new SplittableRandom(seed)::nextDouble);
	}

	static Herd of(SimulatedPolicy policy, int calls, Duration attempt, RandomSource random) {
		Herd herd = new Herd(attempt.toNanos());
		SimulatedPolicy unlimited = policy.with((builder) -> builder.concurrency(RetryPolicy.UNLIMITED_CONCURRENCY));
		Retry retry = unlimited.withoutProtection().caller(herd.time, random, new RetryListener() {
		}, null);
		for (int call = 0; call < calls; call++) {
			Member member = new Member();
			herd.members.add(member);
			CompletableFuture<?> unused = retry.callAsyncOn(member, herd::attempt, null)
				.whenComplete((result, failure) -> member.ended = herd.time.nanoTime());
		}
		herd.time.runUntil(Long.MAX_VALUE);
		return herd;
	}

	private CompletionStage<Boolean> attempt(Member member, int number) {
		member.starts.add(this.time.nanoTime());
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		Cancellable unused = this.time.schedule(() -> answer.complete(number >= MOST_ATTEMPTS), this.attemptNanos);
		return answer;
	}

	/**
	 * Return when the attempts of a call start.
	 * @param call counted from 0
	 * @return nanoseconds since the calls began, for at most {@value #MOST_ATTEMPTS}
	 * attempts
	 */
	public List<Long> starts(int call) {
		return List.copyOf(this.members.get(call).starts);
	}

	/**
	 * Return how long the calls took.
	 * @return nanoseconds, sorted
	 */
	public long[] times() {
		return this.members.stream().mapToLong((member) -> member.ended).sorted().toArray();
	}

	/** Return when the last attempts of the calls start; nanoseconds, sorted. */
	long[] lastStarts() {
		return this.members.stream()
			.mapToLong((member) -> member.starts.get(member.starts.size() - 1))
			.sorted()
			.toArray();
	}

	/**
	 * Return how many retries start in each bin of time.
	 * @param bin the length of a bin
	 * @param to the time at which to end
	 * @return the number in each bin, from the beginning on
	 */
	public int[] retries(Duration bin, Duration to) {
		int[] bins = new int[(int) (to.toNanos() / bin.toNanos())];
		for (Member member : this.members) {
			for (long start : member.starts.subList(1, member.starts.size())) {
				if (start < to.toNanos()) {
					bins[(int) Math.min(start / bin.toNanos(), bins.length - 1)]++;
				}
			}
		}
		return bins;
	}

	/**
	 * Return the share of the calls that retry in the fullest 10 ms.
	 * @param from the time at which to begin
	 * @param to the time at which to end
	 * @return from 0 to 1
	 */
	public double fullestShare(Duration from, Duration to) {
		int[] bins = retries(Duration.ofMillis(10), to);
		int most = Arrays.stream(bins).skip(from.toMillis() / 10).max().orElse(0);
		return most / (double) this.members.size();
	}

	private static final class Member {

		private final List<Long> starts = new ArrayList<>();

		private long ended;

	}

}
