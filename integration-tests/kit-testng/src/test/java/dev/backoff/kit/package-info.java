/** An application that is tested with TestNG. */
@NullMarked
package dev.backoff.kit;

import org.jspecify.annotations.NullMarked;
