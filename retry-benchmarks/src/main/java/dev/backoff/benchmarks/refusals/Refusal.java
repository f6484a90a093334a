package dev.backoff.benchmarks.refusals;

import java.util.Arrays;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;

/**
 * A call that is refused, from its start to what its caller gets thrown: stop report,
 * meters and log line included.
 */
public enum Refusal {

	/** The budget has no token for a retry; the attempt itself fails at once. */
	EMPTY_BUDGET("an empty budget", StopReason.BUDGET, "backoff.budgets.gateway.tokens=0"),

	/** The breaker is open; nothing is attempted. */
	OPEN_BREAKER("an open breaker", StopReason.BREAKER_OPEN, "backoff.breakers.gateway.probes=1");

	private static final int WARM_UP = 20_000;

	private static final int CALLS = 50_000;

	private static final double MICRO = 1_000;

	private final String label;

	private final StopReason reason;

	private final String property;

	Refusal(String label, StopReason reason, String property) {
		this.label = label;
		this.reason = reason;
		this.property = property;
	}

	/**
	 * Return how the figures call it.
	 * @return the label
	 */
	public String label() {
		return this.label;
	}

	/**
	 * Make many calls that are refused.
	 * @return how long they took, in microseconds
	 */
	public Times measure() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties(this.property)
			.run()) {
			context.getBean(CircuitBreakers.class).find("gateway").ifPresent((breaker) -> breaker.forceOpen());
			Gateway gateway = context.getBean(Gateway.class);
			times(gateway, WARM_UP);
			return Times.of(times(gateway, CALLS));
		}
	}

	private long[] times(Gateway gateway, int calls) {
		long[] times = new long[calls];
		for (int i = 0; i < calls; i++) {
			long start = System.nanoTime();
			try {
				gateway.call();
			}
			catch (RuntimeException ex) {
				times[i] = System.nanoTime() - start;
				check(ex);
			}
		}
		return times;
	}

	private void check(RuntimeException failure) {
		RetriesStoppedException report = RetriesStoppedException.of(failure);
		if (report == null || report.reason() != this.reason) {
			throw new IllegalStateException("The call was not refused by " + this.label, failure);
		}
	}

	/**
	 * How long calls took, in microseconds.
	 *
	 * @param median half of them were faster
	 * @param p99 all but a hundredth of them were faster
	 * @param p9999 all but one in ten thousand
	 */
	public record Times(double median, double p99, double p9999) {

		static Times of(long[] nanos) {
			long[] sorted = nanos.clone();
			Arrays.sort(sorted);
			return new Times(at(sorted, 0.5), at(sorted, 0.99), at(sorted, 0.9999));
		}

		private static double at(long[] sorted, double share) {
			return sorted[(int) (share * (sorted.length - 1))] / MICRO;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class,
			BackoffObservationAutoConfiguration.class })
	static class Application {

		@Bean
		MeterRegistry meterRegistry() {
			return new SimpleMeterRegistry();
		}

		@Bean
		Gateway gateway() {
			return new Gateway();
		}

	}

	/** Fails at once. */
	public static class Gateway {

		/** Fail. */
		@Backoff(value = "gateway", base = "100ms")
		public void call() {
			throw new IllegalStateException("the gateway is down");
		}

	}

}
