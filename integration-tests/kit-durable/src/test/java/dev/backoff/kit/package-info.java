/** An application whose durable calls are tested. */
@NullMarked
package dev.backoff.kit;

import org.jspecify.annotations.NullMarked;
