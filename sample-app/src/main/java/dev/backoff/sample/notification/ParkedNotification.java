package dev.backoff.sample.notification;

import java.time.OffsetDateTime;

/**
 * A notification that could not be sent and waits for a person.
 *
 * @param id its number
 * @param orderId the order it is about
 * @param trade the payment it is about
 * @param policy the policy that stopped
 * @param stopReason why it stopped
 * @param attempts how many attempts were made
 * @param failureClass the class of the last failure
 * @param idempotencyKey the key that all attempts sent, and that the next will send
 * @param state {@code PARKED}, {@code REDOING} or {@code DONE}
 * @param elapsedMs from the first attempt to the stop
 * @param parkedAt when it was parked
 * @param changedAt when its state changed
 */
record ParkedNotification(long id, long orderId, String trade, String policy, String stopReason, int attempts,
		String failureClass, String idempotencyKey, String state, long elapsedMs, OffsetDateTime parkedAt,
		OffsetDateTime changedAt) {
}
