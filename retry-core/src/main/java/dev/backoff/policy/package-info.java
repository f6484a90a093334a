/**
 * The rules of a call: how many attempts, until when, how spaced, and what is retried.
 */
@NullMarked
package dev.backoff.policy;

import org.jspecify.annotations.NullMarked;
