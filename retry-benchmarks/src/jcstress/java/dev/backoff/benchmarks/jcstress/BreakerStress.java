package dev.backoff.benchmarks.jcstress;

import java.time.Duration;
import java.util.Objects;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.breaker.CircuitBreaker;

/** A breaker that is half-open permits exactly as many calls as it has probes. */
public final class BreakerStress {

	/* After the time open. */
	private static final long NOW = 10;

	/* Open, and its time over: the next call finds it half-open. */
	private static CircuitBreaker ready(int probes) {
		CircuitBreaker breaker = CircuitBreaker.builder("stress")
			.settings(BreakerSettings.builder().probes(probes).build())
			.time(new HandTurnedTime())
			.build();
		breaker.openFor(Duration.ofNanos(1));
		return breaker;
	}

	private static Permit probe(CircuitBreaker breaker) {
		return Objects.requireNonNull(breaker.tryAcquire(NOW));
	}

	/** One probe goes to one of two, and the one that ends the time open counts. */
	@JCStressTest
	@Outcome(id = { "true, false", "false, true" }, expect = Expect.ACCEPTABLE, desc = "One probes.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "None or both.")
	@State
	public static class TwoAcquireOne {

		private final CircuitBreaker breaker = ready(1);

		@Actor
		public void one(ZZ_Result result) {
			result.r1 = this.breaker.tryAcquire(NOW) != null;
		}

		@Actor
		public void two(ZZ_Result result) {
			result.r2 = this.breaker.tryAcquire(NOW) != null;
		}

	}

	/** Two probes go to two of three calls. */
	@JCStressTest
	@Outcome(id = { "true, true, false", "true, false, true" }, expect = Expect.ACCEPTABLE, desc = "Two probe.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Fewer or more.")
	@State
	public static class ThreeAcquireTwo {

		private final CircuitBreaker breaker = ready(2);

		@Actor
		public void one(ZZZ_Result result) {
			result.r1 = this.breaker.tryAcquire(NOW) != null;
			result.r2 = this.breaker.tryAcquire(NOW) != null;
		}

		@Actor
		public void two(ZZZ_Result result) {
			result.r3 = this.breaker.tryAcquire(NOW) != null;
		}

	}

	/** Both results count: one failure of two is half of them, so it opens. */
	@JCStressTest
	@Outcome(id = "OPEN", expect = Expect.ACCEPTABLE, desc = "Both counted.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "A result was lost.")
	@State
	public static class SucceedAndFail {

		private final CircuitBreaker breaker = ready(2);

		private final Permit one = probe(this.breaker);

		private final Permit two = probe(this.breaker);

		@Actor
		public void succeed() {
			this.one.succeeded(1, NOW);
		}

		@Actor
		public void fail() {
			this.two.failed(1, NOW, null);
		}

		@Arbiter
		public void state(L_Result result) {
			result.r1 = this.breaker.state();
		}

	}

}
