/**
 * What failures of clients and databases mean: whether they may pass, and how long the
 * server asked to wait. Each classifier looks at the failure and its causes, so that an
 * exception of the application's own that wraps a client's is judged by what happened.
 */
@NullMarked
package dev.backoff.spring.failure;

import org.jspecify.annotations.NullMarked;
