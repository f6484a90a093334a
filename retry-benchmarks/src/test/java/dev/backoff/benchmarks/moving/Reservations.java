package dev.backoff.benchmarks.moving;

import org.springframework.beans.factory.annotation.Autowired;

/** What each application does. */
abstract class Reservations {

	@Autowired
	Warehouse warehouse;

	abstract String reserve(String item);

}
