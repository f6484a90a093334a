package dev.backoff.spring.policy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.spring.policy.BackoffProperties.ShapeName;

import static org.assertj.core.api.Assertions.assertThat;

class PolicyAdviceTests {

	private static List<String> advice(RetryPolicyBuilder policy, ShapeName shape) {
		return PolicyAdvice.of(policy.build(), shape, true, false);
	}

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("orders").cap(Duration.ofMillis(200));
	}

	@Test
	void isEmptyForTheDefaults() {
		assertThat(PolicyAdvice.of(RetryPolicy.defaults("orders"), ShapeName.EXPONENTIAL, false, false)).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "1, true", "1.01, false", "1.49, false", "1.5, true", "4, true", "4.1, false" })
	void isAboutTheMultiplier(double multiplier, boolean good) {
		List<String> advice = advice(policy().base(Duration.ofMillis(200)).multiplier(multiplier),
				ShapeName.EXPONENTIAL);
		assertThat(advice.isEmpty()).isEqualTo(good);
	}

	@Test
	void isNotAboutTheMultiplierOfABaseOfZero() {
		RetryPolicyBuilder policy = policy().base(Duration.ZERO);
		assertThat(PolicyAdvice.of(policy.build(), ShapeName.EXPONENTIAL, false, false)).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "16, true", "17, false" })
	void isAboutManyAttempts(int attempts, boolean good) {
		assertThat(advice(policy().maxAttempts(attempts), ShapeName.EXPONENTIAL).isEmpty()).isEqualTo(good);
		assertThat(advice(policy().maxAttempts(attempts).deadline(Duration.ofSeconds(9)), ShapeName.EXPONENTIAL))
			.isEmpty();
	}

	@Test
	void isAboutATimeoutThatLeavesNoTimeForARetry() {
		Duration second = Duration.ofSeconds(1);
		assertThat(advice(policy().attemptTimeout(second).deadline(second), ShapeName.EXPONENTIAL))
			.containsExactly("an attempt that uses up the attempt-timeout of 1s leaves no time for a retry before the "
					+ "deadline of 1s");
		assertThat(advice(policy().attemptTimeout(second).deadline(second.plusNanos(1)), ShapeName.EXPONENTIAL))
			.isEmpty();
		assertThat(advice(policy().attemptTimeout(second), ShapeName.EXPONENTIAL)).isEmpty();
	}

	@Test
	void isAboutATimeoutThatIsNotRetried() {
		Duration second = Duration.ofSeconds(1);
		assertThat(advice(policy().attemptTimeout(second).retryOn(IOException.class), ShapeName.EXPONENTIAL))
			.containsExactly("attempts that take longer than the attempt-timeout are not retried: retry-on does not "
					+ "name dev.backoff.AttemptTimeoutException");
		assertThat(advice(policy().attemptTimeout(second).retryOn(RuntimeException.class), ShapeName.EXPONENTIAL))
			.isEmpty();
	}

	@Test
	void isNotAboutACapThatIsJustReached() {
		Shape linear = Shape.linear(Duration.ofMillis(100), Duration.ofMillis(100));
		assertThat(advice(policy().shape(linear).maxAttempts(3), ShapeName.LINEAR)).isEmpty();
		assertThat(advice(policy().shape(linear).maxAttempts(2), ShapeName.LINEAR))
			.containsExactly("the cap of 200ms is never reached: the last wait is 100 ms before jitter");
	}

	@Test
	void isNotAboutTheCapOfDecorrelatedJitterOrWithoutRetries() {
		assertThat(advice(policy().jitter(Jitter.decorrelated()), ShapeName.EXPONENTIAL)).isEmpty();
		assertThat(advice(policy().maxAttempts(1), ShapeName.EXPONENTIAL)).isEmpty();
	}

}
