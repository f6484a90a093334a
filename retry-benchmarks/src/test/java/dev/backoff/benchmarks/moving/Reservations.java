package dev.backoff.benchmarks.moving;

/** What each application does. */
interface Reservations {

	String reserve(String item);

}
