package dev.backoff.policy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.time.Nanos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RetryPolicyTests {

	private static final long SECOND = 1_000_000_000;

	@Test
	void defaultsAreFourAttemptsFrom100MillisecondsTo10Seconds() {
		RetryPolicy policy = RetryPolicy.builder("orders").build();
		assertThat(policy).hasToString(
				"RetryPolicy orders (4 attempts, " + "exponential 100ms ×2, cap 10s, jitter full, no deadline)");
		assertThat(policy.name()).isEqualTo("orders");
		assertThat(policy.maxAttempts()).isEqualTo(4);
		assertThat(policy.deadlineNanos()).isEqualTo(Nanos.UNLIMITED);
		assertThat(policy.shortestAttemptNanos()).isEqualTo(SECOND / 100);
		assertThat(policy.rule(true).baseNanos()).isEqualTo(SECOND);
		assertThat(policy.retryAfterMaxNanos()).isEqualTo(60 * SECOND);
		assertThat(policy.isRetryAfterEnabled()).isTrue();
		assertThat(policy.retryOn()).isEmpty();
		assertThat(policy.abortOn()).isEmpty();
		assertThat(policy.classifiers()).isEmpty();
		assertThat(policy.retryWhen()).isNull();
		assertThat(policy.until()).isNull();
		assertThat(policy.matchCauses()).isTrue();
		assertThat(policy.isNestedMultiply()).isFalse();
		assertThat(policy.isFinalPoll()).isTrue();
		assertThat(policy.isEnabled()).isTrue();
	}

	@Nested
	class Options {

		@Test
		void setBaseMultiplierCapAndJitter() {
			assertThat(builder().base(Duration.ofMillis(50))
				.multiplier(3)
				.cap(Duration.ofSeconds(5))
				.jitter(Jitter.equal())
				.build()
				.rule()).hasToString("exponential 50ms ×3, cap 5s, jitter equal");
		}

		@Test
		void setAShapeInsteadOfBaseAndMultiplier() {
			assertThat(builder().base(Duration.ofMillis(50))
				.shape(Shape.fixed(Duration.ofSeconds(1)))
				.build()
				.rule()
				.shape()).hasToString("fixed 1s");
			assertThat(builder().shape(Shape.fixed(Duration.ofSeconds(1)))
				.base(Duration.ofMillis(50))
				.build()
				.rule()
				.shape()).hasToString("exponential 50ms ×2");
		}

		@Test
		void leaveTheCapToTheBaseIfThatIsLong() {
			assertThat(builder().base(Duration.ofMinutes(1)).build().rule().capNanos()).isEqualTo(6_000 * SECOND);
			assertThat(builder().base(Duration.ofMillis(100)).build().rule().capNanos()).isEqualTo(10 * SECOND);
			assertThat(builder().base(Duration.ofMillis(1)).build().rule().capNanos()).isEqualTo(10 * SECOND);
		}

		@Test
		void leaveALadderWithoutACap() {
			assertThat(builder().shape(Shape.ladder(List.of(Duration.ofHours(1)))).build().rule().capNanos())
				.isEqualTo(Nanos.UNLIMITED);
		}

		@Test
		void takeALadderOfAMillionLevels() {
			RetryPolicy policy = builder().shape(Shape.ladder(Collections.nCopies(1_000_000, Duration.ofMillis(1))))
				.maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS)
				.build();
			assertThat(policy.rule().capped(Integer.MAX_VALUE)).isEqualTo(1_000_000);
			assertThat(policy.rule(true).capped(1_000_000)).isEqualTo(1_000_000_000);
		}

		@Test
		void setTheAttempts() {
			assertThat(builder().maxAttempts(1).build().maxAttempts()).isEqualTo(1);
			assertThat(builder().maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS).build().maxAttempts())
				.isEqualTo(RetryPolicy.UNLIMITED_ATTEMPTS);
			assertThat(builder().maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS).build().toString())
				.startsWith("RetryPolicy p (unlimited attempts,");
		}

		@Test
		void setTheDeadlineAndClearIt() {
			assertThat(builder().deadline(Duration.ofSeconds(5)).build().deadlineNanos()).isEqualTo(5 * SECOND);
			assertThat(builder().deadline(Duration.ofSeconds(5)).build().toString()).endsWith("deadline 5s)");
			assertThat(builder().deadline(Duration.ofSeconds(5)).deadline(null).build().deadlineNanos())
				.isEqualTo(Nanos.UNLIMITED);
		}

		@Test
		void setTheOtherTimes() {
			RetryPolicy policy = builder().shortestAttempt(Duration.ZERO)
				.throttledBase(Duration.ofSeconds(3))
				.retryAfterMax(Duration.ZERO)
				.build();
			assertThat(policy.shortestAttemptNanos()).isZero();
			assertThat(policy.rule(true).baseNanos()).isEqualTo(3 * SECOND);
			assertThat(policy.retryAfterMaxNanos()).isZero();
			assertThat(builder().throttledBase(Duration.ofMinutes(1)).build().rule(true).baseNanos())
				.isEqualTo(10 * SECOND);
		}

		@Test
		void followHintsUpToACapThatWasSet() {
			assertThat(builder().base(Duration.ofMinutes(1)).build().retryAfterMaxNanos()).isEqualTo(60 * SECOND);
			assertThat(builder().cap(Duration.ofMinutes(5)).build().retryAfterMaxNanos()).isEqualTo(300 * SECOND);
		}

		@Test
		void followHintsUpToTheLongestLevelOfALadder() {
			Shape ladder = Shape.ladder(List.of(Duration.ofSeconds(1), Duration.ofMinutes(10), Duration.ofSeconds(5)));
			assertThat(builder().shape(ladder).build().retryAfterMaxNanos()).isEqualTo(600 * SECOND);
			assertThat(builder().shape(ladder).cap(Duration.ofMinutes(2)).build().retryAfterMaxNanos())
				.isEqualTo(120 * SECOND);
			assertThat(builder().shape(Shape.ladder(List.of(Duration.ofSeconds(1)))).build().retryAfterMaxNanos())
				.isEqualTo(60 * SECOND);
		}

		@Test
		void replaceRetryOnAndAddToAbortOn() {
			RetryPolicy policy = builder().retryOn(IOException.class)
				.retryOn(IllegalStateException.class)
				.abortOn(IOException.class)
				.abortOn(List.of(IllegalStateException.class))
				.build();
			assertThat(policy.retryOn()).containsExactly(IllegalStateException.class);
			assertThat(policy.abortOn()).containsExactly(IOException.class, IllegalStateException.class);
		}

		@Test
		void setConditionsAndClassifiers() {
			RetryCondition condition = (result, context) -> true;
			FailureClassifier classifier = (failure) -> null;
			RetryPolicy policy = builder().retryWhen(condition)
				.until(condition)
				.classifiers(List.of((failure) -> null))
				.classifiers(List.of(classifier))
				.build();
			assertThat(policy.retryWhen()).isSameAs(condition);
			assertThat(policy.until()).isSameAs(condition);
			assertThat(policy.classifiers()).containsExactly(classifier);
			assertThat(builder().retryWhen(condition).retryWhen(null).build().retryWhen()).isNull();
		}

		@Test
		void setSwitches() {
			RetryPolicy policy = builder().matchCauses(false)
				.retryAfterEnabled(false)
				.nestedMultiply(true)
				.judgedByLists(true)
				.finalPoll(false)
				.enabled(false)
				.build();
			assertThat(policy.matchCauses()).isFalse();
			assertThat(policy.isRetryAfterEnabled()).isFalse();
			assertThat(policy.isNestedMultiply()).isTrue();
			assertThat(policy.isJudgedByLists()).isTrue();
			assertThat(policy.isFinalPoll()).isFalse();
			assertThat(policy.isEnabled()).isFalse();
		}

	}

	@Nested
	class Preconditions {

		@ParameterizedTest
		@ValueSource(strings = { "", " ", "\t" })
		void rejectABlankName(String name) {
			assertThatIllegalArgumentException().isThrownBy(() -> RetryPolicy.builder(name))
				.withMessage("Invalid name (" + name + "): must not be blank.");
		}

		@Test
		void ofANameThatCouldForgeALogLine() {
			assertThatIllegalArgumentException().isThrownBy(() -> RetryPolicy.builder("a\nERROR forged"))
				.withMessage("Invalid name (a?ERROR forged): must not have line breaks or the like.");
		}

		@ParameterizedTest
		@ValueSource(ints = { 0, -1, Integer.MIN_VALUE })
		void rejectNoAttempts(int maxAttempts) {
			assertThatIllegalArgumentException().isThrownBy(() -> builder().maxAttempts(maxAttempts))
				.withMessage("Invalid maxAttempts (" + maxAttempts
						+ "): must be 1 or more, the first call included; use RetryPolicy.UNLIMITED_ATTEMPTS for no limit.");
		}

		@Test
		void rejectADeadlineOfZeroOrLess() {
			assertThatIllegalArgumentException().isThrownBy(() -> builder().deadline(Duration.ZERO))
				.withMessage("Invalid deadline (0ms): must be above zero.");
			assertThatIllegalArgumentException().isThrownBy(() -> builder().deadline(Duration.ofSeconds(-1)))
				.withMessage("Invalid deadline (-1s): must be above zero.");
		}

		@Test
		void rejectNegativeTimes() {
			Duration negative = Duration.ofMillis(-5);
			assertThatIllegalArgumentException().isThrownBy(() -> builder().shortestAttempt(negative))
				.withMessage("Invalid shortestAttempt (-5ms): must not be negative.");
			assertThatIllegalArgumentException().isThrownBy(() -> builder().throttledBase(negative))
				.withMessage("Invalid throttledBase (-5ms): must not be negative.");
			assertThatIllegalArgumentException().isThrownBy(() -> builder().retryAfterMax(negative))
				.withMessage("Invalid retryAfterMax (-5ms): must not be negative.");
			assertThatIllegalArgumentException().isThrownBy(() -> builder().base(negative).build())
				.withMessage("Invalid base (-5ms): must not be negative.");
			assertThatIllegalArgumentException().isThrownBy(() -> builder().cap(negative).build())
				.withMessage("Invalid cap (-5ms): must not be negative.");
		}

		@Test
		void rejectContradictions() {
			assertThatIllegalArgumentException().isThrownBy(() -> builder().cap(Duration.ofMillis(50)).build())
				.withMessage("Invalid cap (50ms): must not be below the base (100ms).");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> builder().cap(Duration.ofMillis(100)).jitter(Jitter.decorrelated()).build())
				.withMessage("Invalid cap (100ms): must be at least twice the base (100ms) for decorrelated jitter.");
			assertThatIllegalArgumentException().isThrownBy(() -> builder().multiplier(0.5).build())
				.withMessage("Invalid multiplier (0.5): must be a finite number of at least 1.");
		}

	}

	@Nested
	class Builders {

		@Test
		void copyTheListsTheyAreGiven() {
			List<Class<? extends Throwable>> types = new ArrayList<>(List.of(IOException.class));
			List<FailureClassifier> classifiers = new ArrayList<>();
			RetryPolicyBuilder builder = builder().retryOn(types).abortOn(types).classifiers(classifiers);
			types.add(IllegalStateException.class);
			classifiers.add((failure) -> null);
			RetryPolicy policy = builder.build();
			assertThat(policy.retryOn()).containsExactly(IOException.class);
			assertThat(policy.abortOn()).containsExactly(IOException.class);
			assertThat(policy.classifiers()).isEmpty();
			assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> policy.abortOn().clear());
		}

		@Test
		void leaveEarlierPoliciesAlone() {
			RetryPolicyBuilder builder = builder().abortOn(IOException.class);
			RetryPolicy first = builder.build();
			RetryPolicy second = builder.abortOn(IllegalStateException.class).maxAttempts(9).build();
			assertThat(first.abortOn()).hasSize(1);
			assertThat(first.maxAttempts()).isEqualTo(4);
			assertThat(second.abortOn()).hasSize(2);
		}

		@Test
		void haveClonesThatChangeByThemselves() {
			RetryPolicyBuilder builder = builder().maxAttempts(9).abortOn(IOException.class);
			RetryPolicyBuilder clone = builder.build().toBuilder();
			clone.abortOn(IllegalStateException.class).base(Duration.ofSeconds(1));
			assertThat(clone.build().maxAttempts()).isEqualTo(9);
			assertThat(builder.build().abortOn()).hasSize(1);
			assertThat(builder.build().rule().baseNanos()).isEqualTo(100_000_000);
		}

	}

	private static RetryPolicyBuilder builder() {
		return RetryPolicy.builder("p");
	}

}
