package dev.backoff.sample.notification;

import org.jspecify.annotations.Nullable;

/**
 * The result of a notification.
 *
 * @param trade the payment
 * @param state {@code SENT} or {@code PARKED}
 * @param parkedId the number of the parked notification, or null
 */
record Notification(String trade, String state, @Nullable Long parkedId) {

	static Notification sent(String trade) {
		return new Notification(trade, "SENT", null);
	}

	static Notification parked(String trade, long id) {
		return new Notification(trade, "PARKED", id);
	}

}
