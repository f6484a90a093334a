package dev.backoff.sample.logistics;

import java.util.List;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class LogisticsController {

	private final LogisticsService logistics;

	LogisticsController(LogisticsService logistics) {
		this.logistics = logistics;
	}

	@PostMapping("/logistics/sync")
	Shipments sync() {
		return new Shipments(this.logistics.sync());
	}

	/**
	 * The orders that were announced to logistics.
	 *
	 * @param orders their numbers
	 */
	record Shipments(List<Long> orders) {
	}

}
