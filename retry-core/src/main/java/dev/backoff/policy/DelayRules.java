package dev.backoff.policy;

import java.time.Duration;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.Shape;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * The rules of one policy, checked against each other.
 *
 * @param normal the rule unless another applies
 * @param throttled the same from a higher base
 * @param degraded the same with a raised base or cap
 * @param degradedThrottled both
 */
record DelayRules(BackoffRule normal, BackoffRule throttled, BackoffRule degraded, BackoffRule degradedThrottled) {

	static DelayRules of(RetryPolicyBuilder builder) {
		Shape shape = (builder.shape != null) ? builder.shape : Shape.exponential(builder.base, builder.multiplier);
		BackoffRule normal = BackoffRule.of(shape,
				(builder.cap != null) ? builder.cap : Duration.ofNanos(BackoffRule.builtInCap(shape)), builder.jitter);
		DegradedSettings settings = builder.degraded;
		BackoffRule degraded = (settings != null) ? degraded(normal, settings, builder.cap != null) : normal;
		return new DelayRules(normal, normal.withBaseAtLeast(builder.throttledBase), degraded,
				degraded.withBaseAtLeast(builder.throttledBase));
	}

	private static BackoffRule degraded(BackoffRule normal, DegradedSettings settings, boolean capSet) {
		boolean none = normal.capNanos() == Nanos.UNLIMITED;
		Duration raised = settings.cap();
		long cap = Math.max((raised != null) ? Nanos.of(raised) : 0, normal.capNanos());
		if (raised != null && Nanos.of(raised) < cap && (capSet || none)) {
			throw new IllegalArgumentException("Invalid degraded cap (" + DurationText.exact(raised) + "): "
					+ (none ? "must not be set, since there is no cap that it could raise."
							: "must not be below the cap (" + DurationText.exact(normal.capNanos()) + ")."));
		}
		Duration base = settings.base();
		Shape shape = (base != null) ? normal.shape().withBaseAtLeast(base) : normal.shape();
		return new BackoffRule(shape, cap, normal.jitter());
	}

	BackoffRule after(boolean isThrottled, boolean isDegraded) {
		if (isDegraded) {
			return isThrottled ? this.degradedThrottled : this.degraded;
		}
		return isThrottled ? this.throttled : this.normal;
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
