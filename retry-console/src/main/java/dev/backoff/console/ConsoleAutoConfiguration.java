package dev.backoff.console;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Add the page for {@code /actuator/backoff} if the application enables it.
 *
 * @since 0.1
 */
@AutoConfiguration
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
public final class ConsoleAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnAvailableEndpoint(ConsoleEndpoint.class)
	static class Exposed {

		@Bean
		ConsoleEndpoint backoffConsoleEndpoint(ObjectProvider<PathMappedEndpoints> paths) {
			return new ConsoleEndpoint(paths::getIfAvailable);
		}

	}

}
