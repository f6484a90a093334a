package dev.backoff.sample.tracking;

import reactor.core.publisher.Mono;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class TrackingController {

	private final TrackingService tracking;

	TrackingController(TrackingService tracking) {
		this.tracking = tracking;
	}

	@GetMapping("/orders/{id}/tracking")
	Mono<Tracking> track(@PathVariable long id) {
		return this.tracking.track(id);
	}

}
