/** The Actuator endpoint, and the health of the breakers. */
@NullMarked
package dev.backoff.spring.actuate;

import org.jspecify.annotations.NullMarked;
