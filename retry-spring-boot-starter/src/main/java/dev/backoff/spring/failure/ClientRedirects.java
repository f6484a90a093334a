package dev.backoff.spring.failure;

import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Whether the application's HTTP clients may follow redirects. No client reports whether
 * a connection failed at the first request or at the target of a redirect.
 *
 * @since 0.1
 */
public final class ClientRedirects {

	private ClientRedirects() {
	}

	/**
	 * Return whether one of the clients that Spring Boot configures may follow redirects.
	 * @param environment has {@code spring.http.clients.redirects} and those of groups of
	 * service clients
	 * @return false if all are {@code dont-follow}
	 */
	public static boolean mayBeFollowed(Environment environment) {
		Binder binder = Binder.get(environment);
		String all = binder.bind("spring.http.clients.redirects", String.class).orElse("");
		Stream<Group> groups = binder.bind("spring.http.serviceclient", Bindable.mapOf(String.class, Group.class))
			.orElse(Map.of())
			.values()
			.stream();
		return Stream
			.concat(Stream.of(all), groups.map((group) -> (group.redirects() != null) ? group.redirects() : all))
			.anyMatch((redirects) -> !redirects.replaceAll("[^A-Za-z]", "").equalsIgnoreCase("dontfollow"));
	}

	/** What is read of a group of service clients. */
	record Group(@Nullable String redirects) {
	}

}
