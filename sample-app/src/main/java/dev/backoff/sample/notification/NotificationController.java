package dev.backoff.sample.notification;

import java.util.List;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import dev.backoff.sample.payment.Payments;

@RestController
class NotificationController {

	private final Payments payments;

	private final MerchantNotifier notifier;

	private final ParkedNotifications parked;

	private final ParkedRedo redo;

	NotificationController(Payments payments, MerchantNotifier notifier, ParkedNotifications parked, ParkedRedo redo) {
		this.payments = payments;
		this.notifier = notifier;
		this.parked = parked;
		this.redo = redo;
	}

	/** Notify the merchant; 202 means that the notification is parked. */
	@PostMapping("/payments/{trade}/callback")
	ResponseEntity<Notification> callback(@PathVariable String trade) {
		Notification notification = this.notifier.send(this.payments.get(trade));
		return ResponseEntity.status((notification.parkedId() == null) ? HttpStatus.OK : HttpStatus.ACCEPTED)
			.body(notification);
	}

	@GetMapping("/parked")
	List<ParkedNotification> parked() {
		return this.parked.all();
	}

	@PostMapping("/parked/{id}/redo")
	ParkedNotification redo(@PathVariable long id) {
		return this.redo.redo(id)
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "no such notification"));
	}

}
