package dev.backoff.spring.safety;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.resilience.InvocationRejectedException;

import dev.backoff.Retry;
import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.delay.Jitter;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** With breakers of the real library. */
class Resilience4jBreakersTests {

	@Test
	void refusalsOfTheirsAndOfSpringsAreRefusalsOfOurs() {
		assertThat(CircuitOpenException.isRefusal(
				CallNotPermittedException.createCallNotPermittedException(CircuitBreaker.ofDefaults("card-gateway"))))
			.isTrue();
		assertThat(CircuitOpenException.isRefusal(new InvocationRejectedException("full", this))).isTrue();
		assertThat(CircuitOpenException.isRefusal(new RejectedExecutionException())).isFalse();
	}

	private final VirtualTime time = new VirtualTime();

	private final CircuitBreakerRegistry registry = CircuitBreakerRegistry.of(config().build());

	private final CircuitBreaker theirs = this.registry.circuitBreaker("card-gateway");

	private final Resilience4jBreakers breakers = new Resilience4jBreakers(() -> this.registry);

	private final IOException failure = new IOException("down");

	private static CircuitBreakerConfig.Builder config() {
		return CircuitBreakerConfig.custom()
			.slidingWindow(10, 2, SlidingWindowType.COUNT_BASED)
			.failureRateThreshold(50)
			.waitDurationInOpenState(Duration.ofHours(1))
			.permittedNumberOfCallsInHalfOpenState(2);
	}

	private Retry retry() {
		return retry(RetryPolicy.builder("orders").jitter(Jitter.none()).build(),
				this.breakers.permits("card-gateway", false));
	}

	private Retry retry(RetryPolicy policy, CallPermits permits) {
		return Retry.builder(policy).time(this.time).breaker(permits).build();
	}

	private ScriptedOperation<String> failing() {
		return ScriptedOperation.<String>script()
			.fails(this.failure)
			.fails(this.failure)
			.fails(this.failure)
			.fails(this.failure);
	}

	@Nested
	class Retrying {

		@Test
		void stopsWhenTheirsOpens() {
			ScriptedOperation<String> operation = failing();
			assertThatThrownBy(() -> retry().call(operation)).isSameAs(failure);
			assertThat(operation.calls()).isEqualTo(2);
			assertThat(RetriesStoppedException.of(failure).reason()).isEqualTo(StopReason.BREAKER_OPEN);
			assertThat(theirs.getState()).isEqualTo(State.OPEN);
		}

		@Test
		void needsNoPermitOfItsOwnWithinAProbe() throws Exception {
			Retry outer = retry();
			Retry inner = retry();
			theirs.transitionToOpenState();
			theirs.transitionToHalfOpenState();
			assertThat(outer.<String, Exception>call(() -> inner.call(() -> "fine"))).isEqualTo("fine");
			assertThat(theirs.getState()).isEqualTo(State.HALF_OPEN);
			assertThat(outer.<String, Exception>call(() -> inner.call(() -> "fine"))).isEqualTo("fine");
			assertThat(theirs.getState()).isEqualTo(State.CLOSED);
		}

		@Test
		void isCountedByTheirsAttemptByAttempt() throws Exception {
			CircuitBreaker patient = registry.circuitBreaker("patient", config().minimumNumberOfCalls(10).build());
			Retry retry = retry(RetryPolicy.builder("orders").build(), breakers.permits("patient", false));
			retry.call(ScriptedOperation.<String>script().fails(failure).fails(failure).returns("fine"));
			assertThat(patient.getMetrics().getNumberOfBufferedCalls()).isEqualTo(3);
			assertThat(patient.getMetrics().getNumberOfFailedCalls()).isEqualTo(2);
		}

		@Test
		void tellsThemWhatFailed() {
			List<Throwable> seen = new ArrayList<>();
			theirs.getEventPublisher().onError((event) -> seen.add(event.getThrowable()));
			assertThatThrownBy(() -> retry().call(failing())).isSameAs(failure);
			assertThat(seen).containsExactly(failure, failure);
		}

		@Test
		void leavesTheirRulesOfWhatToIgnoreInForce() {
			CircuitBreaker lenient = registry.circuitBreaker("lenient",
					config().ignoreExceptions(IOException.class).build());
			ScriptedOperation<String> operation = failing();
			Retry retry = retry(RetryPolicy.builder("orders").build(), breakers.permits("lenient", false));
			assertThatThrownBy(() -> retry.call(operation)).isSameAs(failure);
			assertThat(operation.calls()).isEqualTo(4);
			assertThat(lenient.getMetrics().getNumberOfBufferedCalls()).isZero();
		}

		@Test
		@ExtendWith(OutputCaptureExtension.class)
		void goesOnThoughTheirRulesThrow(CapturedOutput log) throws Exception {
			registry.circuitBreaker("broken", config().ignoreException((thrown) -> {
				throw new IllegalStateException("rule");
			}).build());
			ScriptedOperation<String> operation = failing();
			Retry retry = retry(RetryPolicy.builder("orders").build(), breakers.permits("broken", false));
			assertThatThrownBy(() -> retry.call(operation)).isSameAs(failure);
			assertThat(operation.calls()).isEqualTo(4);
			assertThat(log)
				.containsOnlyOnce("The breaker broken threw java.lang.IllegalStateException, which was worked around");
			assertThat(retry.call(() -> "fine")).isEqualTo("fine");
		}

		@Test
		void countsAResultThatIsNotGoodEnough() {
			List<Throwable> seen = new ArrayList<>();
			theirs.getEventPublisher().onError((event) -> seen.add(event.getThrowable()));
			Retry retry = retry(RetryPolicy.builder("orders").retryWhen((result, context) -> true).build(),
					breakers.permits("card-gateway", false));
			String result = retry.<String, RuntimeException>call(() -> "poor");
			assertThat(result).isEqualTo("poor");
			assertThat(theirs.getState()).isEqualTo(State.OPEN);
			assertThat(seen).hasSize(2).allSatisfy((thrown) -> {
				assertThat(thrown).isInstanceOf(Resilience4jBreakers.ResultNotGoodEnough.class);
				assertThat(thrown.getStackTrace()).isEmpty();
			});
		}

		@Test
		void callsNothingWhileTheirsIsOpen() {
			theirs.transitionToOpenState();
			ScriptedOperation<String> operation = failing();
			assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(() -> retry().call(operation))
				.withMessage("Circuit breaker card-gateway is open; the call was not made.");
			assertThat(operation.calls()).isZero();
			assertThat(theirs.getMetrics().getNumberOfNotPermittedCalls()).isEqualTo(1);
		}

		@Test
		void waitsForTheirsWhereThatIsAskedFor() throws Exception {
			theirs.transitionToOpenState();
			RetryPolicy policy = RetryPolicy.builder("orders").jitter(Jitter.none()).build();
			time.whileSleeping((nanos) -> theirs.transitionToHalfOpenState());
			Retry retry = retry(policy, breakers.permits("card-gateway", true));
			assertThat(retry.call(ScriptedOperation.<String>script().returns("fine"))).isEqualTo("fine");
			assertThat(time.delays()).containsExactly(Duration.ofMillis(100));
		}

	}

	@Nested
	class HalfOpen {

		@Test
		void getsItsPermitsBackAfterWhatSaysNothing() {
			theirs.transitionToOpenState();
			theirs.transitionToHalfOpenState();
			for (int i = 0; i < 10; i++) {
				assertThatThrownBy(() -> retry().call(() -> {
					throw new AssertionError();
				})).isInstanceOf(AssertionError.class);
			}
			assertThat(theirs.getState()).isEqualTo(State.HALF_OPEN);
			assertThat(theirs.tryAcquirePermission()).isTrue();
			assertThat(theirs.tryAcquirePermission()).isTrue();
			assertThat(theirs.tryAcquirePermission()).isFalse();
		}

		@Test
		void refusesBeyondItsProbesAndTakesNoneForAsking() {
			theirs.transitionToOpenState();
			theirs.transitionToHalfOpenState();
			CallPermits permits = breakers.permits("card-gateway", false);
			for (int i = 0; i < 10; i++) {
				assertThat(permits.isPermitting(0)).isTrue();
			}
			assertThat(permits.tryAcquire(0)).isNotNull();
			assertThat(permits.tryAcquire(0)).isNotNull();
			assertThat(permits.tryAcquire(0)).isNull();
			assertThat(permits.rejection(0)).hasMessageContaining(" is half-open; ");
		}

	}

	@Nested
	class Permits {

		@ParameterizedTest
		@EnumSource(State.class)
		void areForecastByState(State state) {
			switch (state) {
				case CLOSED -> theirs.reset();
				case OPEN -> theirs.transitionToOpenState();
				case HALF_OPEN -> {
					theirs.transitionToOpenState();
					theirs.transitionToHalfOpenState();
				}
				case FORCED_OPEN -> theirs.transitionToForcedOpenState();
				case DISABLED -> theirs.transitionToDisabledState();
				case METRICS_ONLY -> theirs.transitionToMetricsOnlyState();
			}
			CallPermits permits = breakers.permits("card-gateway", false);
			boolean forecast = permits.isPermitting(0);
			assertThat(forecast).isEqualTo(permits.tryAcquire(0) != null)
				.isEqualTo(state != State.OPEN && state != State.FORCED_OPEN);
			assertThat(breakers.state("card-gateway")).isEqualToIgnoringCase(state.name());
		}

		@Test
		void knowTheirNameTheirWaitAndWhetherItIsAwaited() {
			CallPermits permits = breakers.permits("CARD_GATEWAY", true);
			assertThat(permits.name()).isEqualTo("card-gateway");
			assertThat(permits.isAwaited()).isTrue();
			assertThat(permits.nanosToPermit(0)).isZero();
			assertThat(permits).hasToString("Resilience4j's breaker card-gateway");
		}

	}

	@Nested
	class Names {

		@Test
		void thatAreUnknownMakeNoBreaker() {
			registry.circuitBreaker("another");
			assertThatIllegalArgumentException().isThrownBy(() -> breakers.permits("gateway", false))
				.withMessage("names no breaker of Resilience4j, which has these: another, card-gateway");
			assertThat(registry.getAllCircuitBreakers()).hasSize(2);
			assertThat(breakers.state("gateway")).isNull();
		}

		@Test
		void thereAreNoneOf() {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> new Resilience4jBreakers(CircuitBreakerRegistry::ofDefaults).permits("x", false))
				.withMessage("names no breaker of Resilience4j, which has none");
		}

		@Test
		void needARegistry() {
			Resilience4jBreakers lost = new Resilience4jBreakers(() -> null);
			assertThatIllegalArgumentException().isThrownBy(() -> lost.permits("x", false))
				.withMessage("needs exactly one bean of the type CircuitBreakerRegistry");
			assertThat(lost.state("x")).isNull();
		}

	}

}
