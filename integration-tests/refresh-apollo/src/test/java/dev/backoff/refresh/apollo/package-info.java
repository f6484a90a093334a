/** An application that Apollo refreshes. */
@NullMarked
package dev.backoff.refresh.apollo;

import org.jspecify.annotations.NullMarked;
