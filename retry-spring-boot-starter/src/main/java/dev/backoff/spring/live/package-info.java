/**
 * The configuration while the application runs: refreshed, and overridden by an operator.
 * {@link dev.backoff.spring.live.LiveConfiguration} and
 * {@link dev.backoff.spring.live.ConfigurationListener} are contracts for applications.
 */
@NullMarked
package dev.backoff.spring.live;

import org.jspecify.annotations.NullMarked;
