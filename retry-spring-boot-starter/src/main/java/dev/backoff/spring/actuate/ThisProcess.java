package dev.backoff.spring.actuate;

import java.time.Clock;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.core.env.PropertyResolver;

/** The process of the endpoint, which is writable if the access permits changes. */
record ThisProcess(@Nullable String application, boolean writable, Clock clock) {

	static ThisProcess of(PropertyResolver properties, @Nullable EndpointAccessResolver access, Clock clock) {
		boolean writable = access != null
				&& access.accessFor(BackoffEndpoint.ID, Access.READ_ONLY) == Access.UNRESTRICTED;
		return new ThisProcess(properties.getProperty("spring.application.name"), writable, clock);
	}

}
