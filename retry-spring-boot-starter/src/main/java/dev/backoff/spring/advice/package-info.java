/**
 * The proxy: finds annotated methods, checks them at start-up, and hands each invocation
 * to its retry.
 */
@NullMarked
package dev.backoff.spring.advice;

import org.jspecify.annotations.NullMarked;
