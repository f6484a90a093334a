/**
 * The Actuator endpoint, and the health of the breakers. The endpoint's answers are the
 * contract; {@link dev.backoff.spring.actuate.EndpointContributor} serves our modules.
 */
@NullMarked
package dev.backoff.spring.actuate;

import org.jspecify.annotations.NullMarked;
