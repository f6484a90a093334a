package dev.backoff.spring.actuate;

import java.time.Clock;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.core.env.PropertyResolver;

/**
 * The process that the endpoint tells about.
 *
 * @param application the name of the application, or null if it has none
 * @param writable whether the access to the endpoint permits changes
 * @param clock the time of day
 * @since 0.1
 */
record ThisProcess(@Nullable String application, boolean writable, Clock clock) {

	/**
	 * Return the process of an application; nothing is permitted if the access is null.
	 */
	static ThisProcess of(PropertyResolver properties, @Nullable EndpointAccessResolver access, Clock clock) {
		boolean writable = access != null
				&& access.accessFor(BackoffEndpoint.ID, Access.READ_ONLY) == Access.UNRESTRICTED;
		return new ThisProcess(properties.getProperty("spring.application.name"), writable, clock);
	}

}
