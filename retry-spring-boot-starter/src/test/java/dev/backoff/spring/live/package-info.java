/** A configuration that changes while the application runs. */
@NullMarked
package dev.backoff.spring.live;

import org.jspecify.annotations.NullMarked;
