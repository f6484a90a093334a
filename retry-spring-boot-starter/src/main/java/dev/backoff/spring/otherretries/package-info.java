/**
 * Other retries in the application, which multiply the attempts of {@code @Backoff}. The
 * public types serve our modules.
 */
@NullMarked
package dev.backoff.spring.otherretries;

import org.jspecify.annotations.NullMarked;
