package dev.backoff.policy;

import java.time.Duration;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.Shape;
import dev.backoff.time.Nanos;

/**
 * The rules of one policy, checked against each other.
 *
 * @param normal the rule unless another applies
 * @param throttled the same from a higher base
 */
record DelayRules(BackoffRule normal, BackoffRule throttled) {

	static DelayRules of(RetryPolicyBuilder builder) {
		Shape shape = (builder.shape != null) ? builder.shape : Shape.exponential(builder.base, builder.multiplier);
		BackoffRule normal = BackoffRule.of(shape,
				(builder.cap != null) ? builder.cap : Duration.ofNanos(BackoffRule.builtInCap(shape)), builder.jitter);
		return new DelayRules(normal, normal.withBaseAtLeast(builder.throttledBase));
	}

	/*
	 * The longest delay that was set. A ladder without a cap ends at its longest rung;
	 * "no cap" would follow any hint.
	 */
	long longestSet(@Nullable Duration cap) {
		int rungs = this.normal.shape().rungs();
		return (rungs == 0) ? ((cap != null) ? Nanos.of(cap) : 0)
				: IntStream.rangeClosed(1, rungs).mapToLong(this.normal::capped).max().orElse(0);
	}

}
