package dev.backoff.spring.adapt;

import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.retry.RetryPolicy;
import org.springframework.util.ClassUtils;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;

import dev.backoff.Retry;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * Give policies to libraries that make attempts and wait by themselves: containers of
 * Kafka, AMQP and JMS take a {@link BackOff}, the framework's {@code RetryTemplate} takes
 * a {@link RetryPolicy}. <pre>
 * &#064;Bean
 * DefaultErrorHandler errorHandler(FrameworkRetries retries) {
 * 	return new DefaultErrorHandler(recoverer, retries.backOff("orders"));
 * }
 * </pre> Budgets, breakers, hints of servers and concurrency limits do not apply there,
 * because these libraries do not report outcomes. Thread-safe.
 *
 * @param methods supplies the retries of policies
 * @since 0.1
 */
public record FrameworkRetries(BackoffMethods methods) {

	private static final Logger logger = LoggerFactory.getLogger(FrameworkRetries.class);

	private static final String KAFKA = "org.springframework.kafka.listener.DefaultErrorHandler";

	/* By default; a consumer that takes longer loses its partitions. */
	private static final Duration LONGEST_FOR_KAFKA = Duration.ofMinutes(5);

	/**
	 * Return the delays of a policy, rounded up to whole milliseconds. Each
	 * {@link BackOff#start()} reads the current policy and starts its deadline. The
	 * delays end when all attempts are used, no attempt fits before the deadline, or
	 * retries are switched off.
	 * @param policy a name below {@code backoff.policies}, in any spelling
	 * @return the delays
	 * @throws InvalidBackoffException if the name is not defined
	 */
	public BackOff backOff(String policy) {
		Retry retry = this.methods.adapted(policy);
		long longest = longest(retry.policy());
		if (longest > Nanos.of(LONGEST_FOR_KAFKA)
				&& ClassUtils.isPresent(KAFKA, FrameworkRetries.class.getClassLoader())) {
			logger.info(
					"Policy {} waits up to {}, longer than Kafka's max.poll.interval.ms allows by default: "
							+ "use ContainerPausingBackOffHandler",
					retry.policy().name(), DurationText.rounded(longest));
		}
		return new PolicyBackOff(retry);
	}

	private static long longest(dev.backoff.policy.RetryPolicy policy) {
		boolean capped = policy.maxAttempts() == dev.backoff.policy.RetryPolicy.UNLIMITED_ATTEMPTS
				|| policy.rule().jitter().replacesShape();
		return (policy.maxAttempts() == 1) ? 0
				: capped ? policy.rule().capNanos() : policy.rule().capped(policy.maxAttempts() - 1);
	}

	/**
	 * Return a policy for {@code RetryTemplate}, with the delays, the deadline as the
	 * timeout, and the decision whether a failure is worth a retry. All are read for each
	 * call.
	 * @param policy a name below {@code backoff.policies}, in any spelling
	 * @return the policy
	 * @throws InvalidBackoffException if the name is not defined
	 */
	public RetryPolicy retryPolicy(String policy) {
		Retry retry = this.methods.adapted(policy);
		BackOff backOff = new PolicyBackOff(retry);
		return new RetryPolicy() {

			@Override
			public boolean shouldRetry(Throwable failure) {
				return retry.isRetryable(failure);
			}

			@Override
			public Duration getTimeout() {
				long deadline = retry.policy().deadlineNanos();
				return (deadline != Nanos.UNLIMITED) ? Duration.ofNanos(deadline) : Duration.ZERO;
			}

			@Override
			public BackOff getBackOff() {
				return backOff;
			}

			@Override
			public String toString() {
				return backOff.toString();
			}

		};
	}

	/** The delays of the calls of one retry. */
	private record PolicyBackOff(Retry retry) implements BackOff {

		@Override
		public BackOffExecution start() {
			Supplier<@Nullable Duration> delays = this.retry.delays();
			return () -> {
				Duration next = delays.get();
				return (next != null) ? next.plusNanos(999_999).toMillis() : BackOffExecution.STOP;
			};
		}

		@Override
		public String toString() {
			return "BackOff of " + this.retry.policy();
		}

	}

}
