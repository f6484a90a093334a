package dev.backoff.sample.notification;

import java.util.Optional;

import org.springframework.stereotype.Service;

/** Send a parked notification once, on request of an operator. */
@Service
class ParkedRedo {

	private final ParkedNotifications parked;

	private final MerchantNotifier notifier;

	ParkedRedo(ParkedNotifications parked, MerchantNotifier notifier) {
		this.parked = parked;
		this.notifier = notifier;
	}

	/** Return the row afterwards, or empty if there is none. */
	Optional<ParkedNotification> redo(long id) {
		Optional<ParkedNotification> row = this.parked.find(id);
		if (row.isPresent() && this.parked.claim(id)) {
			send(row.get());
		}
		return this.parked.find(id);
	}

	private void send(ParkedNotification notification) {
		boolean sent = false;
		try {
			this.notifier.sendAgain(notification);
			sent = true;
		}
		finally {
			if (sent) {
				this.parked.finish(notification.id());
			}
			else {
				this.parked.giveBack(notification.id());
			}
		}
	}

}
