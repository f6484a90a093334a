/** Notifications of the merchant, and the parking of those that cannot be sent. */
@NullMarked
package dev.backoff.sample.notification;

import org.jspecify.annotations.NullMarked;
