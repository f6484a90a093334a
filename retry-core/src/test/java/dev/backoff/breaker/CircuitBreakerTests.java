package dev.backoff.breaker;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.breaker.CircuitBreaker.Verdict;
import dev.backoff.fixture.Crowd;
import dev.backoff.window.OutcomeWindow.Counts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class CircuitBreakerTests extends BreakerFixture {

	@Nested
	class New {

		@Test
		void isClosedAndHasNoRates() {
			CircuitBreaker fresh = breaker();
			assertThat(fresh.state()).isEqualTo(BreakerState.CLOSED);
			assertThat(fresh.counts().failureRate()).isNaN();
			assertThat(fresh.counts().slowRate()).isNaN();
			assertThat(fresh.counts()).isEqualTo(Counts.NONE);
			assertThat(fresh.rejected()).isZero();
			assertThat(fresh.timeToProbe()).isNull();
			assertThat(fresh.nanosToPermit(now())).isZero();
			assertThat(fresh.isPermitting(now())).isTrue();
		}

		@Test
		void saysWhatItIs() {
			CircuitBreaker plain = CircuitBreaker.builder("payments").build();
			assertThat(plain.name()).isEqualTo("payments");
			assertThat(plain.settings()).isSameAs(BreakerSettings.DEFAULTS);
			assertThat(plain.isAwaited()).isFalse();
			assertThat(plain).hasToString("CircuitBreaker payments (closed, 50% of at least 20 calls failed in 30s, "
					+ "open for 30s, 3 probes)");
			assertThat(breaker(settings().awaited(true)).isAwaited()).isTrue();
		}

		@ParameterizedTest
		@ValueSource(strings = { "", " ", "-_." })
		void hasANameWithALetterOrADigit(String name) {
			assertThatIllegalArgumentException().isThrownBy(() -> CircuitBreaker.builder(name))
				.withMessage("Invalid name (" + name + "): must have a letter or a digit.");
		}

		@ParameterizedTest
		@EnumSource(BreakerState.class)
		void hasTagsInLowerCase(BreakerState state) {
			assertThat(state.tag()).isEqualTo(state.name().toLowerCase(Locale.ROOT));
		}

	}

	@Nested
	class ClosedBreaker {

		@Test
		void opensOnceAmongManyThreads() {
			CircuitBreaker of20 = breaker(last(1000).minimumCalls(20));
			Crowd.of(32, (number) -> {
				for (int i = 0; i < 100; i++) {
					Permit permit = of20.tryAcquire(now());
					if (permit != null) {
						permit.failed(1, now(), null);
					}
				}
			});
			assertThat(told()).containsExactly("CLOSED -> OPEN");
			assertThat(of20.counts().total()).isBetween(20L, 20L + 32);
			assertThat(of20.rejected()).isBetween(3200L - 20 - 2 * 32, 3200L - 20);
		}

	}

	@Test
	void slowCallsAreNotThoseThatEndBeforeTheyBegan() {
		permit(breaker()).succeeded(-1, now());
		permit(breaker()).succeeded(Long.MIN_VALUE, now());
		assertThat(breaker().counts()).isEqualTo(new Counts(2, 0, 0));
	}

	@Nested
	class ByHand {

		private final CircuitBreaker breaker = breaker(settings());

		@Test
		void isForcedOpenUntilToldOtherwise() {
			this.breaker.forceOpen();
			assertThat(this.breaker.state()).isEqualTo(BreakerState.FORCED_OPEN);
			time().advance(Duration.ofDays(365));
			assertThat(isRejected(this.breaker)).isTrue();
			assertThat(this.breaker.rejected()).isEqualTo(1);
			assertThat(this.breaker.nanosToPermit(now())).isZero();
			assertThat(this.breaker.timeToProbe()).isNull();
			assertThat(this.breaker.counts()).isEqualTo(Counts.NONE);
			assertThat(this.breaker.rejection(now()))
				.hasMessage("Circuit breaker payments is forced-open since 8760 h 0 min; the call was not made.");
			this.breaker.reset();
			assertThat(isRejected(this.breaker)).isFalse();
			assertThat(told()).containsExactly("CLOSED -> FORCED_OPEN", "FORCED_OPEN -> CLOSED");
		}

		@Test
		void opensForATimeAboveZeroOnly() {
			assertThatIllegalArgumentException().isThrownBy(() -> this.breaker.openFor(Duration.ZERO))
				.withMessage("Invalid duration (0ms): must be above zero.");
			assertThatIllegalArgumentException().isThrownBy(() -> this.breaker.openFor(Duration.ofSeconds(-5)))
				.withMessage("Invalid duration (-5s): must be above zero.");
			assertThat(this.breaker.state()).isEqualTo(BreakerState.CLOSED);
			this.breaker.openFor(Duration.ofSeconds(Long.MAX_VALUE));
			assertThat(this.breaker.timeToProbe()).isEqualTo(Duration.ofNanos(Long.MAX_VALUE));
		}

	}

	@Nested
	class Calls {

		private final CircuitBreaker breaker = breaker(settings());

		@Test
		void returnWhatTheWorkReturnsAndCountItsTime() {
			assertThat(this.breaker.<String, RuntimeException>call(() -> "paid")).isEqualTo("paid");
			assertThat(this.breaker.<String, RuntimeException>call(() -> {
				time().advance(SLOW.plusNanos(1));
				return null;
			})).isNull();
			assertThat(this.breaker.counts()).isEqualTo(new Counts(2, 0, 1));
		}

		@Test
		void throwWhatTheWorkThrows() {
			IOException failure = new IOException("refused");
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.breaker.call(() -> {
				time().advance(SLOW.plusNanos(1));
				throw failure;
			})).isSameAs(failure);
			assertThat(this.breaker.counts()).isEqualTo(new Counts(1, 1, 1));
			assertThat(this.breaker.counts().slowRate()).isOne();
		}

		@Test
		void runNothingWhenRejected() {
			this.breaker.openFor(Duration.ofSeconds(20));
			AtomicInteger runs = new AtomicInteger();
			assertThatExceptionOfType(CircuitOpenException.class)
				.isThrownBy(() -> this.breaker.call(runs::incrementAndGet))
				.withMessage("Circuit breaker payments is open since 0 ms, for another 20 s; the call was not made.");
			assertThat(runs).hasValue(0);
			assertThat(this.breaker.rejected()).isEqualTo(1);
		}

		@ParameterizedTest
		@MethodSource("dev.backoff.breaker.CircuitBreakerTests#saysNothing")
		void countNothingThatSaysNothing(Throwable thrown) {
			CircuitBreaker halfOpen = halfOpened(settings().probes(1));
			for (int i = 0; i < 3; i++) {
				assertThatExceptionOfType(Throwable.class).isThrownBy(() -> callAndThrow(halfOpen, thrown))
					.isSameAs(thrown);
			}
			assertThat(halfOpen.state()).isEqualTo(BreakerState.HALF_OPEN);
			assertThat(halfOpen.counts()).isEqualTo(Counts.NONE);
			assertThat(isRejected(halfOpen)).isFalse();
		}

		@Test
		void askTheVerdict() {
			CircuitBreaker judging = builder(settings())
				.verdict((ex) -> (ex instanceof IOException) ? Verdict.ANSWERED
						: (ex instanceof IllegalStateException) ? Verdict.IGNORED : Verdict.FAILED)
				.build();
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> callAndThrow(judging, new IOException()));
			assertThat(judging.counts()).isEqualTo(new Counts(1, 0, 0));
			assertThatIllegalStateException().isThrownBy(() -> callAndThrow(judging, new IllegalStateException()));
			assertThat(judging.counts()).isEqualTo(new Counts(1, 0, 0));
			assertThatExceptionOfType(Error.class).isThrownBy(() -> callAndThrow(judging, new Error()));
			assertThat(judging.counts()).isEqualTo(new Counts(2, 1, 0));
		}

		@Test
		void countAFailureWhenTheVerdictThrowsOrIsMissing() {
			IOException failure = new IOException("refused");
			CircuitBreaker throwing = builder(settings()).verdict((ex) -> {
				throw new IllegalStateException("no verdict");
			}).build();
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> callAndThrow(throwing, failure))
				.isSameAs(failure);
			assertThat(failure).hasNoSuppressedExceptions();
			assertThat(throwing.counts()).isEqualTo(new Counts(1, 1, 0));
			CircuitBreaker missing = builder(settings()).verdict((ex) -> null).build();
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> callAndThrow(missing, failure))
				.isSameAs(failure);
			assertThat(missing.counts()).isEqualTo(new Counts(1, 1, 0));
		}

		@Test
		void leaveTheInterruptFlagAlone() {
			assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> this.breaker.call(() -> {
				Thread.currentThread().interrupt();
				throw new CancellationException();
			}));
			assertThat(Thread.interrupted()).isTrue();
			assertThat(this.breaker.counts()).isEqualTo(Counts.NONE);
		}

		private static void callAndThrow(CircuitBreaker breaker, Throwable thrown) throws Throwable {
			breaker.call(() -> {
				throw thrown;
			});
		}

	}

	static List<Throwable> saysNothing() {
		return List.of(new OutOfMemoryError(), new StackOverflowError(), new AssertionError(),
				new InterruptedException(), new CircuitOpenException("stock", "open", null, null));
	}

	@Nested
	class Listeners {

		@Test
		void areIgnoredWhenTheyThrow() {
			CircuitBreaker told = builder(settings().probes(1)).listener((breaker, from, to) -> {
				throw new AssertionError("listener");
			}).build();
			fail(told, 4);
			assertThat(told.state()).isEqualTo(BreakerState.OPEN);
			waitForProbe(told);
			succeed(told, 1);
			assertThat(told.state()).isEqualTo(BreakerState.CLOSED);
		}

		@Test
		void findTheBreakerInItsNewStateAndMayMoveIt() {
			List<BreakerState> found = new ArrayList<>();
			CircuitBreaker told = builder(settings()).listener((breaker, from, to) -> {
				found.add(breaker.state());
				if (to == BreakerState.OPEN) {
					breaker.reset();
					breaker.call(() -> 1);
				}
			}).build();
			fail(told, 4);
			assertThat(found).containsExactly(BreakerState.OPEN, BreakerState.CLOSED);
			assertThat(told.state()).isEqualTo(BreakerState.CLOSED);
			assertThat(told.counts()).isEqualTo(new Counts(1, 0, 0));
		}

		@Test
		void holdUpNoOtherCallWhenTheyBlock() {
			CompletableFuture<Void> entered = new CompletableFuture<>();
			CompletableFuture<Void> free = new CompletableFuture<>();
			CircuitBreaker told = builder(settings()).listener((breaker, from, to) -> {
				entered.complete(null);
				free.join();
			}).build();
			Crowd.of(2, (number) -> {
				if (number == 0) {
					fail(told, 4);
				}
				else {
					entered.join();
					assertThat(told.state()).isEqualTo(BreakerState.OPEN);
					assertThat(told.tryAcquire(now())).isNull();
					assertThat(told.counts()).isEqualTo(new Counts(4, 4, 0));
					free.complete(null);
				}
			});
			assertThat(told.rejected()).isEqualTo(1);
		}

	}

	@Test
	void clocksFailNoCallWhenTheyStepBackDuringIt() {
		CircuitBreaker breaker = breaker(settings());
		assertThat(breaker.<String, RuntimeException>call(() -> {
			time().stepBack(Duration.ofDays(1));
			return "paid";
		})).isEqualTo("paid");
		assertThat(breaker.counts()).isEqualTo(new Counts(1, 0, 0));
	}

}
