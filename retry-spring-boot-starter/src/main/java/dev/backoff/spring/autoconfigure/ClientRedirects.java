package dev.backoff.spring.autoconfigure;

import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** The setting by which Spring Boot's HTTP clients follow redirects. */
final class ClientRedirects {

	private ClientRedirects() {
	}

	/**
	 * Return whether one of the clients may follow redirects. No client reports whether a
	 * connection failed at the first request or at the target of a redirect.
	 */
	static boolean mayBeFollowed(Environment environment) {
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

	/** The setting of a group of service clients. */
	record Group(@Nullable String redirects) {
	}

}
