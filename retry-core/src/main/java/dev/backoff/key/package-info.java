/**
 * Values by key, such as the tenant of a call: a bounded number of them.
 */
@NullMarked
package dev.backoff.key;

import org.jspecify.annotations.NullMarked;
