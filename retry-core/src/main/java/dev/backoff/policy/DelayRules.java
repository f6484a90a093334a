package dev.backoff.policy;

import java.time.Duration;
import java.util.stream.IntStream;

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

	private static final long DEFAULT_CAP = Duration.ofSeconds(10).toNanos();

	static DelayRules of(RetryPolicyBuilder builder) {
		Shape shape = (builder.shape != null) ? builder.shape : Shape.exponential(builder.base, builder.multiplier);
		BackoffRule normal = BackoffRule.of(shape, (builder.cap != null) ? builder.cap : cap(shape), builder.jitter);
		DegradedSettings settings = builder.degraded;
		BackoffRule degraded = (settings != null) ? degraded(normal, settings) : normal;
		return new DelayRules(normal, normal.withBaseAtLeast(builder.throttledBase), degraded,
				degraded.withBaseAtLeast(builder.throttledBase));
	}

	private static Duration cap(Shape shape) {
		return Duration.ofNanos((shape.rungs() > 0) ? Nanos.UNLIMITED : Math.max(DEFAULT_CAP, shape.baseNanos()));
	}

	private static BackoffRule degraded(BackoffRule normal, DegradedSettings settings) {
		Duration raised = settings.cap();
		if (raised != null && Nanos.of(raised) < normal.capNanos()) {
			boolean none = normal.capNanos() == Nanos.UNLIMITED;
			throw new IllegalArgumentException("Invalid degraded cap (" + DurationText.exact(raised) + "): "
					+ (none ? "must not be set, since there is no cap that it could raise."
							: "must not be below the cap (" + DurationText.exact(normal.capNanos()) + ")."));
		}
		Duration base = settings.base();
		Shape shape = (base != null) ? normal.shape().withBaseAtLeast(base) : normal.shape();
		return BackoffRule.of(shape, (raised != null) ? raised : Duration.ofNanos(normal.capNanos()), normal.jitter());
	}

	BackoffRule after(boolean isThrottled, boolean isDegraded) {
		if (isDegraded) {
			return isThrottled ? this.degradedThrottled : this.degraded;
		}
		return isThrottled ? this.throttled : this.normal;
	}

	/* A ladder without a cap ends at its longest rung; "no cap" would follow any hint. */
	long longestDelay() {
		int rungs = this.normal.shape().rungs();
		return (rungs == 0) ? this.normal.capNanos()
				: IntStream.rangeClosed(1, rungs).mapToLong(this.normal::capped).max().orElse(0);
	}

}
