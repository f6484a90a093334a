package dev.backoff.benchmarks.herd;

import java.time.Duration;
import java.util.Random;

import dev.backoff.delay.Jitter;
import dev.backoff.delay.RandomSource;
import dev.backoff.policy.RetryPolicy;

/**
 * 10,000 clients fail at the same moment, say because a load balancer dropped all its
 * connections, and then at every retry: 100 ms, doubled up to 10 s, 8 retries. How many
 * come back in each 10 ms, with the real delays, drawn from one seed.
 */
public final class Herd {

	/** How many clients there are: {@value}. */
	public static final int CLIENTS = 10_000;

	/** How many milliseconds are counted together: {@value}. */
	public static final int BIN_MILLIS = 10;

	private static final long BIN = BIN_MILLIS * 1_000_000L;

	private static final int RETRIES = 8;

	/* All capped delays together are 22.7 s. */
	private static final int BINS = 2_400;

	private final int[] requests = new int[BINS];

	private Herd() {
	}

	/**
	 * Let it run.
	 * @param jitter how chance spreads the delays
	 * @param seed where chance starts
	 * @return when the clients came back
	 */
	public static Herd run(Jitter jitter, long seed) {
		RetryPolicy policy = RetryPolicy.builder("herd")
			.maxAttempts(RETRIES + 1)
			.base(Duration.ofMillis(100))
			.cap(Duration.ofSeconds(10))
			.jitter(jitter)
			.build();
		RandomSource random = new Random(seed)::nextDouble;
		Herd herd = new Herd();
		for (int client = 0; client < CLIENTS; client++) {
			herd.add(policy, random);
		}
		return herd;
	}

	private void add(RetryPolicy policy, RandomSource random) {
		long now = 0;
		long delay = 0;
		for (int retry = 1; retry <= RETRIES; retry++) {
			delay = policy.rule().delay(retry, delay, random);
			now += delay;
			this.requests[(int) Math.min(now / BIN, BINS - 1)]++;
		}
	}

	/**
	 * Return how many clients come back in a bin.
	 * @param bin counted from 0
	 * @return how many
	 */
	public int requests(int bin) {
		return this.requests[bin];
	}

	/**
	 * Return how many bins there are.
	 * @return 24 s of them
	 */
	public int bins() {
		return BINS;
	}

	/**
	 * Return the share of the clients that come back in the fullest bin from a time on.
	 * @param from the time
	 * @return from 0 to 1
	 */
	public double fullestBinShare(Duration from) {
		int most = 0;
		for (int bin = (int) (from.toMillis() / BIN_MILLIS); bin < BINS; bin++) {
			most = Math.max(most, this.requests[bin]);
		}
		return most / (double) CLIENTS;
	}

}
