package dev.backoff.sample.gateway;

import java.util.Map;
import java.util.function.Supplier;

/**
 * The quota of the AI provider: a bucket of ten requests, to which two a second come
 * back. Each answer tells what is left, in the headers that OpenAI uses. Thread-safe.
 */
final class Quota {

	private static final int LIMIT = 10;

	private static final double NANOS_EACH = 500_000_000;

	private double left = LIMIT;

	private long asOf = System.nanoTime();

	/** Answer by the work, or by 429 without it if nothing is left. */
	Reply answer(Supplier<Reply> work) {
		Map<String, String> told;
		boolean taken;
		synchronized (this) {
			long now = System.nanoTime();
			this.left = Math.min(LIMIT, this.left + (now - this.asOf) / NANOS_EACH);
			this.asOf = now;
			taken = this.left >= 1;
			this.left -= taken ? 1 : 0;
			told = Map.of("x-ratelimit-limit-requests", String.valueOf(LIMIT), "x-ratelimit-remaining-requests",
					String.valueOf((int) this.left), "x-ratelimit-reset-requests",
					Math.round((LIMIT - this.left) * NANOS_EACH / 1_000_000) + "ms");
		}
		return (taken ? work.get() : Reply.of(429, "1")).with(told);
	}

}
