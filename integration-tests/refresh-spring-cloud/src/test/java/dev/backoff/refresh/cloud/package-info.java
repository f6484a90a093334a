/** An application that Spring Cloud Config refreshes. */
@NullMarked
package dev.backoff.refresh.cloud;

import org.jspecify.annotations.NullMarked;
