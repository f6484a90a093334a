package dev.backoff.sample.notification;

import java.time.OffsetDateTime;

/**
 * A notification that could not be sent and waits for an operator.
 *
 * @param id its number
 * @param orderId the order
 * @param trade the payment
 * @param policy the policy that stopped
 * @param stopReason the reason of the stop
 * @param attempts the number of attempts
 * @param failureClass the class of the last failure
 * @param idempotencyKey the key of all attempts, past and future
 * @param state {@code PARKED}, {@code REDOING} or {@code DONE}
 * @param elapsedMs the time from the first attempt to the stop
 * @param parkedAt the time of parking
 * @param changedAt the time of the last change of its state
 */
record ParkedNotification(long id, long orderId, String trade, String policy, String stopReason, int attempts,
		String failureClass, String idempotencyKey, String state, long elapsedMs, OffsetDateTime parkedAt,
		OffsetDateTime changedAt) {
}
