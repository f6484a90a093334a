/**
 * The keys below {@code backoff}, read from the property sources as text with origins,
 * once, each value by its key. What is unknown or cannot be read is reported with its
 * place. It knows no annotation and no policy. The keys are the contract; the public
 * types serve our modules.
 */
@NullMarked
package dev.backoff.spring.configuration;

import org.jspecify.annotations.NullMarked;
