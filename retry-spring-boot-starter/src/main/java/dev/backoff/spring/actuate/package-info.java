/**
 * The Actuator endpoint, its page, and the health of the breakers. The endpoint's answers
 * are the contract; {@link dev.backoff.spring.actuate.EndpointContributor} serves our
 * modules.
 */
@NullMarked
package dev.backoff.spring.actuate;

import org.jspecify.annotations.NullMarked;
