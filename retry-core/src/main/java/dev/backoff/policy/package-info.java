/** The rules of a call: what is retried, how often, until when, and with which delays. */
@NullMarked
package dev.backoff.policy;

import org.jspecify.annotations.NullMarked;
