/**
 * Methods that return publishers: each subscription is a call, and each attempt invokes
 * the method and subscribes to what it returns. Loaded only if such a method exists. The
 * public types serve our modules.
 */
@NullMarked
package dev.backoff.spring.reactive;

import org.jspecify.annotations.NullMarked;
