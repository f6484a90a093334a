package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.Shape;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.Listeners;
import dev.backoff.fixture.RandomSources;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Budgets and breakers in calls of their own, without delays and in broken time. */
class OverloadGuardsInUnusualUseTests extends CallFixture {

	private static final Duration OPEN_FOR = Duration.ofSeconds(10);

	private CircuitBreaker breaker(BreakerSettings.Builder settings) {
		return CircuitBreaker.builder("gateway")
			.settings(settings.minimumCalls(1).failureRate(1).openFor(OPEN_FOR).build())
			.time(time())
			.random(RandomSources.greatest())
			.build();
	}

	private static RetryPolicyBuilder policy(Duration delay) {
		return policy().shape(Shape.fixed(delay)).maxAttempts(3);
	}

	@Nested
	class CallsWithinCallsOfOneBreaker {

		private final CircuitBreaker breaker = breaker(BreakerSettings.builder().probes(3));

		private final Retry outer = builder(policy(Duration.ofMillis(100))).breaker(this.breaker).build();

		private final Retry inner = builder(policy(Duration.ofMillis(100))).breaker(this.breaker).build();

		@Test
		void doNotKeepItFromClosing() throws Exception {
			this.breaker.open();
			time().advance(OPEN_FOR);
			for (int i = 0; i < 3; i++) {
				assertThat(this.outer.call(() -> this.inner.call(() -> "fine"))).isEqualTo("fine");
			}
			assertThat(this.breaker.state()).isEqualTo(BreakerState.CLOSED);
			assertThat(this.breaker.rejected()).isZero();
		}

		@Test
		void doNotWaitForTheirOwnProbe() throws Exception {
			CircuitBreaker awaited = breaker(BreakerSettings.builder().probes(1).awaited(true));
			Retry around = builder(policy(Duration.ofMillis(100))).breaker(awaited).build();
			Retry within = builder(policy(Duration.ofMillis(100))).breaker(awaited).build();
			awaited.open();
			time().advance(OPEN_FOR);
			assertThat(around.call(() -> within.call(() -> "fine"))).isEqualTo("fine");
			assertThat(time().delays()).isEmpty();
			assertThat(awaited.state()).isEqualTo(BreakerState.CLOSED);
		}

		@Test
		void areRefusedIfItHasOpenedAgainDuringTheProbe() {
			this.breaker.open();
			time().advance(OPEN_FOR);
			assertThatThrownBy(() -> this.outer.call(() -> {
				this.breaker.forceOpen();
				return this.inner.call(() -> "never");
			})).isInstanceOf(CircuitOpenException.class);
		}

		@Test
		void needPermitsOfOtherBreakers() {
			CircuitBreaker other = breaker(BreakerSettings.builder());
			other.forceOpen();
			Retry toOther = builder(policy(Duration.ofMillis(100))).breaker(other).build();
			this.breaker.open();
			time().advance(OPEN_FOR);
			assertThatThrownBy(() -> this.outer.call(() -> toOther.call(() -> "never")))
				.isInstanceOf(CircuitOpenException.class);
		}

		@Test
		void needPermitsOnceTheProbeHasEnded() {
			CircuitBreaker one = breaker(BreakerSettings.builder().probes(4));
			AtomicInteger calls = new AtomicInteger();
			Retry within = builder(policy(Duration.ofMillis(100)).maxAttempts(1)).breaker(one).build();
			Retry around = Retry.builder(policy(Duration.ofMillis(100)).maxAttempts(2).build())
				.time(time())
				.breaker(one)
				.listener(Listeners.onRetry((event) -> assertThat(within.call(calls::incrementAndGet)).isEqualTo(1)))
				.build();
			one.open();
			time().advance(OPEN_FOR);
			assertThatThrownBy(() -> around.call(() -> {
				throw new IOException("down");
			})).isInstanceOf(IOException.class);
			assertThat(calls).hasValue(1);
			assertThat(one.counts().total()).isEqualTo(3);
		}

	}

	@Nested
	class WaitsWithoutADelay {

		@Test
		void forABudgetDoNotSpin() throws Exception {
			RetryBudget budget = RetryBudget.of("gateway", new BudgetSettings(1, 0, 1), time(),
					RetryBudget.Listener.NONE);
			budget.tryWithdraw();
			AtomicInteger calls = new AtomicInteger();
			Retry retry = builder(policy(Duration.ZERO).postponedWhenEmpty(true)).budget(budget).build();
			assertThat(retry.call(() -> {
				if (calls.incrementAndGet() == 1) {
					throw new IOException("down");
				}
				return "fine";
			})).isEqualTo("fine");
			assertThat(time().delays()).hasSizeLessThanOrEqualTo(102);
		}

		@Test
		void forABreakerForcedOpenDoNotSpin() {
			CircuitBreaker breaker = breaker(BreakerSettings.builder().awaited(true));
			breaker.forceOpen();
			Retry retry = builder(policy(Duration.ZERO).deadline(Duration.ofSeconds(10))).breaker(breaker).build();
			assertThatThrownBy(() -> retry.call(() -> "never")).isInstanceOf(CircuitOpenException.class);
			assertThat(time().delays()).hasSizeLessThanOrEqualTo(1_001);
		}

	}

	@Test
	void aBudgetThatNeverHoldsATokenPostponesNothing() {
		RetryBudget budget = RetryBudget.of("gateway", new BudgetSettings(0, 0.1, 0.1), time(),
				RetryBudget.Listener.NONE);
		time().whileSleeping((nanos) -> {
			if (time().delays().size() > 1_000) {
				throw new IllegalStateException("waits for ever");
			}
		});
		Retry retry = builder(policy(Duration.ofMillis(100)).postponedWhenEmpty(true)).budget(budget).build();
		assertThatThrownBy(() -> retry.call(() -> {
			throw new IOException("down");
		})).hasMessage("down");
		assertThat(time().delays()).isEmpty();
		assertThat(reason()).isEqualTo(StopReason.BUDGET);
	}

	@Test
	void aBreakerOpenForCenturiesKeepsNoCallBeyondItsDeadline() {
		CircuitBreaker breaker = breaker(BreakerSettings.builder().awaited(true));
		Retry inner = builder(policy(Duration.ofMillis(100))).breaker(breaker).build();
		Retry outer = retry(policy(Duration.ofMillis(100)).deadline(Duration.ofSeconds(1)));
		assertThatThrownBy(() -> outer.call(() -> {
			time().advance(Duration.ofSeconds(2));
			breaker.openFor(Duration.ofSeconds(Long.MAX_VALUE));
			return inner.call(() -> "never");
		})).isInstanceOf(CircuitOpenException.class);
		assertThat(time().delays()).isEmpty();
	}

}
