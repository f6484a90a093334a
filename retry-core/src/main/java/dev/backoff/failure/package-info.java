/**
 * How a failure is judged: its kind, its causes, and whether the work may be repeated.
 */
@NullMarked
package dev.backoff.failure;

import org.jspecify.annotations.NullMarked;
