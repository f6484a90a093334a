/**
 * The advice: annotated methods are found and checked at start-up, and each invocation is
 * handed to its retry.
 */
@NullMarked
package dev.backoff.spring.advice;

import org.jspecify.annotations.NullMarked;
