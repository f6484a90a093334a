/**
 * The way from the annotation and the configuration to one policy for each method, with
 * the origin of each value. Values that do not fit together are reported with their
 * places. {@link dev.backoff.spring.policy.BackoffPolicies} and
 * {@link dev.backoff.spring.policy.PolicyRule} with what it gets are contracts for
 * applications; the other public types serve our modules.
 */
@NullMarked
package dev.backoff.spring.policy;

import org.jspecify.annotations.NullMarked;
