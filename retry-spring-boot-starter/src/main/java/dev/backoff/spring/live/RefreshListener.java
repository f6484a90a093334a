package dev.backoff.spring.live;

import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;

/**
 * Refresh when a configuration centre has changed properties. Spring Cloud's event comes
 * from its own server, Consul and Nacos. Apollo has an event of its own. Both events are
 * recognised by their class name, without a dependency. Thread-safe.
 *
 * @param configuration called at the first event
 * @since 0.1
 */
public record RefreshListener(Supplier<LiveConfiguration> configuration) implements GenericApplicationListener {

	private static final Logger logger = LoggerFactory.getLogger(RefreshListener.class);

	private static final Set<String> EVENTS = Set.of(
			"org.springframework.cloud.context.environment.EnvironmentChangeEvent",
			"com.ctrip.framework.apollo.spring.events.ApolloConfigChangeEvent");

	@Override
	public boolean supportsEventType(ResolvableType eventType) {
		return isChange(eventType.toClass());
	}

	private static boolean isChange(@Nullable Class<?> type) {
		for (Class<?> event = type; event != null; event = event.getSuperclass()) {
			if (EVENTS.contains(event.getName())) {
				return true;
			}
		}
		return false;
	}

	/* After the listeners that rebind properties. */
	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void onApplicationEvent(ApplicationEvent event) {
		if (isChange(event.getClass())) {
			String name = event.getClass().getSimpleName();
			try {
				this.configuration.get().refresh(name);
			}
			catch (RuntimeException ex) {
				// the application closes or has not started; the publisher goes on
				logger.warn("Could not refresh by {}", name, ex);
			}
		}
	}

}
