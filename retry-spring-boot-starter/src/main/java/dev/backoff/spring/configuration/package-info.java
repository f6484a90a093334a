/**
 * The keys below {@code backoff}, which are read at the start and at each refresh, from
 * the property sources, as text with origins. Each key parses its value. Unknown keys and
 * values that cannot be read are reported with their places. The keys are the contract;
 * the public types serve our modules.
 */
@NullMarked
package dev.backoff.spring.configuration;

import org.jspecify.annotations.NullMarked;
