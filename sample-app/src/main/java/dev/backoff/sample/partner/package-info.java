/**
 * The shop's side of the gateway: one client, no retries.
 */
@NullMarked
package dev.backoff.sample.partner;

import org.jspecify.annotations.NullMarked;
