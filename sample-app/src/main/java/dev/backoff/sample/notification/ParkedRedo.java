package dev.backoff.sample.notification;

import java.util.Optional;

import org.springframework.stereotype.Service;

/**
 * Sends a parked notification when a person asks for it, once.
 */
@Service
class ParkedRedo {

	private final ParkedNotifications parked;

	private final MerchantNotifier notifier;

	ParkedRedo(ParkedNotifications parked, MerchantNotifier notifier) {
		this.parked = parked;
		this.notifier = notifier;
	}

	/** Return the row as it is afterwards, or nothing if there is none. */
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
