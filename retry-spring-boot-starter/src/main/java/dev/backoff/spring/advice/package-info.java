/**
 * The advice: annotated methods are found and checked at start-up, and each invocation is
 * handed to its retry. {@link dev.backoff.spring.advice.BackoffMethods} is a contract for
 * applications; the other public types serve our modules.
 */
@NullMarked
package dev.backoff.spring.advice;

import org.jspecify.annotations.NullMarked;
