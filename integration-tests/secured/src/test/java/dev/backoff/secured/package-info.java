/** An application whose endpoint is behind Spring Security. */
@NullMarked
package dev.backoff.secured;

import org.jspecify.annotations.NullMarked;
