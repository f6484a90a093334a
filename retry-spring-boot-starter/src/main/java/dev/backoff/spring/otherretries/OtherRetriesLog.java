package dev.backoff.spring.otherretries;

import java.util.List;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.backoff.spring.otherretries.OtherRetries.OtherRetry;

/** Log other retries: a WARN for each annotation, one INFO for all beans. */
final class OtherRetriesLog {

	private static final Logger logger = LoggerFactory.getLogger(OtherRetriesLog.class);

	private OtherRetriesLog() {
	}

	static void log(List<OtherRetry> annotations, List<OtherRetry> beans) {
		annotations.forEach((retry) -> logger
			.warn("{} and @Backoff on {} multiply attempts: remove the former and set its values in the policy, "
					+ "by the table in docs/moving-in.md", retry.name(), retry.place()));
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

	static void logRefused(List<OtherRetry> beans) {
		beans.forEach((bean) -> logger.warn("{} ({}) repeats refused requests by itself, without a turn of a pace: {}",
				bean.name(), bean.place(), bean.off()));
	}

	static void failed(Throwable failure) {
		logger.debug("Cannot look for other retries", failure);
	}

}
