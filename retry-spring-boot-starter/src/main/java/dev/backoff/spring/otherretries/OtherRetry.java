package dev.backoff.spring.otherretries;

/**
 * A part of the application that repeats calls by itself.
 *
 * @param name what repeats, for instance {@code Apache HttpClient 5}
 * @param place where it is set up: a bean ({@code bean orderClient}) or a method
 * ({@code OrderService.place})
 * @param when what it repeats
 * @param off how to switch it off
 * @since 0.1
 */
public record OtherRetry(String name, String place, String when, String off) {
}
