/** The client of the gateway, without retries. */
@NullMarked
package dev.backoff.sample.partner;

import org.jspecify.annotations.NullMarked;
