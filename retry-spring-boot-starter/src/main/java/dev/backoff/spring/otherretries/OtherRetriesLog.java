package dev.backoff.spring.otherretries;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.BackoffProperties;
import dev.backoff.spring.configuration.SettingKey;

/**
 * Log the other retries once, after start-up: a WARN for each annotation beside
 * {@code @Backoff}, one INFO for all beans. Thread-safe.
 *
 * @since 0.1
 */
public final class OtherRetriesLog implements ApplicationListener<ApplicationReadyEvent> {

	private static final Logger logger = LoggerFactory.getLogger(OtherRetriesLog.class);

	private final BackoffConfiguration configuration;

	private final OtherRetries retries;

	private final AtomicBoolean logged = new AtomicBoolean();

	public OtherRetriesLog(BackoffConfiguration configuration, OtherRetries retries) {
		this.configuration = configuration;
		this.retries = retries;
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		if (!this.configuration.isEnabled()
				|| this.configuration.get(SettingKey.OTHER_RETRIES) == BackoffProperties.OtherRetries.OFF
				|| !this.logged.compareAndSet(false, true)) {
			return;
		}
		try {
			this.retries.besideOurs().forEach(OtherRetriesLog::warn);
			List<OtherRetry> beans = this.retries.beans();
			if (!beans.isEmpty()) {
				logger.info(
						"Other retries multiply the attempts of methods that use them "
								+ "(details: /actuator/backoff?view=other-retries): {}",
						beans.stream()
							.map((bean) -> bean.name() + " (" + bean.place() + ") repeats " + bean.when() + " unless "
									+ bean.off())
							.collect(Collectors.joining("; ")));
			}
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("Cannot look for other retries", ex);
		}
	}

	private static void warn(OtherRetry retry) {
		logger.warn("{} and @Backoff on {} multiply attempts: remove the former and set its values in the policy, "
				+ "by the table in docs/moving-in.md", retry.name(), retry.place());
	}

}
