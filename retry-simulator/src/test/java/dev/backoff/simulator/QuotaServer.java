package dev.backoff.simulator;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;

import dev.backoff.pace.QuotaReading;

/**
 * A server with a quota of requests, and 100 tokens for each of them. It refuses what is
 * above a quota and tells when to come back, in whole seconds. Not thread-safe.
 */
final class QuotaServer {

	private static final double TOKENS = 100;

	private final Kind kind;

	private final SplittableRandom chance;

	private double requests;

	private double tokens;

	private double at;

	private double used;

	private double usedTokens;

	private long asked;

	private long refused;

	QuotaServer(Kind kind, long seed) {
		this.kind = kind;
		this.chance = new SplittableRandom(seed);
		refill(0, kind.limit);
	}

	/** Answer a request that comes at the given second. */
	Answer ask(double now, double cost) {
		double perSecond = this.kind.limit / this.kind.seconds;
		double end = (Math.floor(now / this.kind.seconds) + 1) * this.kind.seconds - now;
		boolean again = Math.floor(now / this.kind.seconds) > Math.floor(this.at / this.kind.seconds);
		refill(now, this.kind.window ? (again ? this.kind.limit : 0) : (now - this.at) * perSecond);
		this.asked++;
		boolean unlucky = this.chance.nextDouble() < this.kind.unlucky;
		double wait = unlucky ? 1 : 0;
		if (!unlucky && this.requests >= 1 && this.tokens >= cost) {
			this.requests--;
			this.tokens -= cost;
			this.used++;
			this.usedTokens += cost;
		}
		else {
			this.refused++;
			wait = unlucky ? 1
					: this.kind.window ? end : Math.max(1 - this.requests, (cost - this.tokens) / TOKENS) / perSecond;
			// rounded up where the quota is one of minutes
			wait = (this.kind.seconds >= 30) ? Math.max(1, Math.ceil(wait)) : wait;
			this.requests = this.kind.counts ? Math.max(0, this.requests - 1) : this.requests;
		}
		return new Answer((wait > 0) ? new ThrottledException(duration(wait)) : null, this.kind.telling
				? List.of(told(true, this.requests, 1, end), told(false, this.tokens, TOKENS, end)) : List.of());
	}

	private void refill(double now, double requests) {
		this.requests = Math.min(this.kind.limit, this.requests + requests);
		this.tokens = Math.min(this.kind.limit * TOKENS, this.tokens + requests * TOKENS);
		this.at = now;
	}

	private QuotaReading told(boolean ofRequests, double left, double scale, double end) {
		double limit = this.kind.limit * scale;
		double reset = this.kind.window ? end : (limit - left) * this.kind.seconds / limit;
		return new QuotaReading(ofRequests ? "requests" : "tokens", (long) limit, (long) left, duration(reset),
				ofRequests, this.kind.window);
	}

	private static Duration duration(double seconds) {
		return Duration.ofNanos((long) (seconds * 1e9));
	}

	/** Return how much of what it allowed by the given second was used, in percent. */
	double goodput(double seconds) {
		// a bucket was full at the start
		double quotas = seconds / this.kind.seconds + (this.kind.window ? 0 : 1);
		return Math.max(this.used, this.usedTokens / TOKENS) / this.kind.limit / quotas * 100;
	}

	/** Return the share of the requests that was refused, in percent. */
	double refused() {
		return 100.0 * this.refused / this.asked;
	}

	/**
	 * What a server does.
	 *
	 * @param limit how many requests it allows in a period
	 * @param seconds the period
	 * @param window whether the quota comes back at the end of a period, not steadily
	 * @param counts whether refused requests use the quota of requests
	 * @param telling whether each answer tells what remains
	 * @param unlucky the share of the requests that it refuses for another reason
	 */
	record Kind(double limit, double seconds, boolean window, boolean counts, boolean telling, double unlucky) {
	}

	/** An answer: the refusal, or null if it is good, and what it tells. */
	record Answer(@Nullable ThrottledException refusal, List<QuotaReading> told) {
	}

}
