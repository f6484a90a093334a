/**
 * The keys below {@code backoff}, read from the property sources as text with origins,
 * once, each value by its key. What is unknown or cannot be read is reported with its
 * place. It knows no annotation and no policy.
 */
@NullMarked
package dev.backoff.spring.configuration;

import org.jspecify.annotations.NullMarked;
