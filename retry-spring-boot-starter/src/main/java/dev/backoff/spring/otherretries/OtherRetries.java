package dev.backoff.spring.otherretries;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.BackoffProperties;
import dev.backoff.spring.configuration.SettingKey;
import dev.backoff.spring.policy.PolicyUses;

/**
 * Find the other retries of an application: annotations on methods, and beans that are
 * known by their type. The settings of beans are not read. No bean is created. Those
 * beside {@code @Backoff} and all beans are logged once, after start-up. Thread-safe.
 *
 * @since 0.1
 */
public final class OtherRetries implements ApplicationListener<ApplicationReadyEvent> {

	private static final Logger logger = LoggerFactory.getLogger(OtherRetries.class);

	private final BackoffConfiguration configuration;

	private final ConfigurableListableBeanFactory factory;

	private final PolicyUses uses;

	private final AtomicBoolean logged = new AtomicBoolean();

	public OtherRetries(BackoffConfiguration configuration, ConfigurableListableBeanFactory factory, PolicyUses uses) {
		this.configuration = configuration;
		this.factory = factory;
		this.uses = uses;
	}

	/** Search now; annotations come first, those beside ours before others. */
	public List<OtherRetry> all() {
		Set<Method> ours = this.uses.uses().stream().map((use) -> use.annotated().method()).collect(Collectors.toSet());
		return Stream
			.of(besideOurs().stream(), OtherAnnotations.of(this.factory, (method) -> !ours.contains(method)),
					RepeatingBeans.of(this.factory, false).stream())
			.flatMap(Function.identity())
			.toList();
	}

	private List<OtherRetry> besideOurs() {
		return this.uses.uses()
			.stream()
			.flatMap((use) -> OtherAnnotations.of(use.annotated().method(), use.annotated().type(), use.method()))
			.toList();
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		if (!this.configuration.isEnabled()
				|| this.configuration.get(SettingKey.OTHER_RETRIES) == BackoffProperties.OtherRetries.OFF
				|| !this.logged.compareAndSet(false, true)) {
			return;
		}
		try {
			log(RepeatingBeans.of(this.factory, false));
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("Cannot look for other retries", ex);
		}
	}

	private void log(List<OtherRetry> beans) {
		besideOurs().forEach(
				(retry) -> logger.warn(
						"{} and @Backoff on {} multiply attempts: remove the former and set its "
								+ "values in the policy, by the table in docs/moving-in.md",
						retry.name(), retry.place()));
		if (!beans.isEmpty()) {
			logger.info(
					"Other retries multiply the attempts of methods that use them "
							+ "(details: /actuator/backoff?view=other-retries): {}",
					beans.stream()
						.map((bean) -> bean.name() + " (" + bean.place() + ") repeats " + bean.when() + " unless "
								+ bean.off())
						.collect(Collectors.joining("; ")));
		}
		if (this.uses.uses().stream().anyMatch((use) -> use.policy().pace() != null)) {
			RepeatingBeans.of(this.factory, true)
				.forEach((bean) -> logger.warn(
						"{} ({}) repeats refused requests by itself, without a turn of a pace: {}", bean.name(),
						bean.place(), bean.off()));
		}
	}

	/**
	 * A part of the application that repeats calls by itself.
	 *
	 * @param name what repeats, for instance {@code Apache HttpClient 5}
	 * @param place where it is set up: a bean ({@code bean orderClient}) or a method
	 * ({@code OrderService.place})
	 * @param when what it repeats
	 * @param off how to switch it off
	 */
	public record OtherRetry(String name, String place, String when, String off) {
	}

}
