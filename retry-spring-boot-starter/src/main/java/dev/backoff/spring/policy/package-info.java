/**
 * From the annotation and the configuration to one policy for each method, each value
 * with its origin. Values that do not fit together are reported with their places.
 */
@NullMarked
package dev.backoff.spring.policy;

import org.jspecify.annotations.NullMarked;
