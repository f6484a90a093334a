/**
 * Telling the merchant, and parking what could not be told.
 */
@NullMarked
package dev.backoff.sample.notification;

import org.jspecify.annotations.NullMarked;
