/**
 * The endpoint: what is in effect, where it comes from, and what it is going to do.
 */
@NullMarked
package dev.backoff.spring.actuate;

import org.jspecify.annotations.NullMarked;
