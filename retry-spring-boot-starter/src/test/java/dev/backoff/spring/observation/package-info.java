/** Tests of meters and log lines. */
@NullMarked
package dev.backoff.spring.observation;

import org.jspecify.annotations.NullMarked;
