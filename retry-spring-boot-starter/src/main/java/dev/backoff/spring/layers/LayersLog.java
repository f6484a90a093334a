package dev.backoff.spring.layers;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

import dev.backoff.spring.configuration.BackoffConfiguration;

/**
 * Log once, after start-up, where other retries multiply attempts. Thread-safe.
 *
 * @since 0.1
 */
public final class LayersLog implements ApplicationListener<ApplicationReadyEvent> {

	private static final Logger logger = LoggerFactory.getLogger(LayersLog.class);

	private static final int MANY = 10;

	private final BackoffConfiguration configuration;

	private final Supplier<RetryLayers> layers;

	private final Executor executor;

	private final AtomicBoolean told = new AtomicBoolean();

	/**
	 * Make the log.
	 * @param configuration says whether anything is logged
	 * @param layers looks for other retries
	 * @param executor runs the search
	 */
	public LayersLog(BackoffConfiguration configuration, Supplier<RetryLayers> layers, Executor executor) {
		this.configuration = configuration;
		this.layers = layers;
		this.executor = executor;
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		if (this.configuration.isEnabled() && this.configuration.isOtherRetriesWarned()
				&& this.told.compareAndSet(false, true)) {
			this.executor.execute(this::tell);
		}
	}

	private void tell() {
		try {
			RetryLayers.Report report = this.layers.get().report();
			report.layers()
				.stream()
				.filter(LayersLog::isRepeatedAnswer)
				.forEach((layer) -> logger.warn(
						"{} ({}) sends a request up to {} times by itself, after {}, and waits for Retry-After within an "
								+ "attempt; to switch that off: {}",
						layer.name(), layer.place(), layer.attempts(), layer.when(), layer.off()));
			tell(report, Level.WARN, (atMost) -> atMost >= MANY);
			tell(report, Level.INFO, (atMost) -> atMost < MANY);
		}
		catch (RuntimeException | LinkageError ex) {
			// the application closes meanwhile, or a bean of its own cannot be asked
			logger.debug("Cannot look for other retries", ex);
		}
	}

	/* An HTTP client that takes 429 and 503 away from the policy. */
	private static boolean isRepeatedAnswer(RetryLayer layer) {
		return layer.factor() > 1 && layer.when().contains("503");
	}

	private static void tell(RetryLayers.Report report, Level level, Predicate<Long> wanted) {
		List<String> methods = report.methods()
			.entrySet()
			.stream()
			.filter((method) -> method.getValue().isMultiplied() && wanted.test(method.getValue().atMost())
					&& !isTold(method))
			.map((method) -> method.getKey() + " " + method.getValue().text())
			.toList();
		if (!methods.isEmpty()) {
			logger.atLevel(level)
				.log("Attempts multiply with other retries (details: /actuator/backoff?view=layers): {}",
						String.join("; ", methods));
		}
	}

	/* Another annotation on the method itself is advised against before start-up. */
	private static boolean isTold(Map.Entry<String, RetryLayers.MethodLayers> method) {
		return method.getValue()
			.meets()
			.stream()
			.filter((layer) -> layer.factor() > 1)
			.allMatch((layer) -> layer.place().equals(method.getKey()));
	}

}
