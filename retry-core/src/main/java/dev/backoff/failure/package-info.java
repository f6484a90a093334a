/**
 * What a failure amounts to: its class, its causes, and whether the work may be repeated.
 */
@NullMarked
package dev.backoff.failure;

import org.jspecify.annotations.NullMarked;
