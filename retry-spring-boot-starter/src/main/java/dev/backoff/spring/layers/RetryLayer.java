package dev.backoff.spring.layers;

import org.jspecify.annotations.Nullable;

/**
 * A part of the application that repeats calls by itself, within or around attempts of
 * {@code @Backoff}.
 *
 * @param name what repeats, for instance {@code Apache HttpClient 5}
 * @param place where it is set up: a bean ({@code bean orderClient}) or a method
 * ({@code OrderService.place})
 * @param attempts how often a call is made at most, 1 or more, the first time included;
 * null if that is no fixed number
 * @param when the failures after which it repeats
 * @param off how to switch it off
 * @param equivalent the configuration of a policy that does the same, or null
 * @since 0.1
 */
public record RetryLayer(String name, String place, @Nullable Integer attempts, String when, String off,
		@Nullable String equivalent) {

	int factor() {
		return (this.attempts != null) ? this.attempts : 1;
	}

}
