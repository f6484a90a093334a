/**
 * The keys below {@code backoff}, which are read once, from the property sources, as text
 * with origins. Each key parses its value. Unknown keys and values that cannot be read
 * are reported with their places. This package knows no annotation and no policy. The
 * keys are the contract; the public types serve our modules.
 */
@NullMarked
package dev.backoff.spring.configuration;

import org.jspecify.annotations.NullMarked;
