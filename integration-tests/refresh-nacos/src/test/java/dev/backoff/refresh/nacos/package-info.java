/** An application that Nacos refreshes. */
@NullMarked
package dev.backoff.refresh.nacos;

import org.jspecify.annotations.NullMarked;
