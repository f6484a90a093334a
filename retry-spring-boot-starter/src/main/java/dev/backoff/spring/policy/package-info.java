/**
 * From the annotation and the configuration to one policy for each method, once, each
 * value with its origin; whatever does not fit together is reported with its place.
 */
@NullMarked
package dev.backoff.spring.policy;

import org.jspecify.annotations.NullMarked;
