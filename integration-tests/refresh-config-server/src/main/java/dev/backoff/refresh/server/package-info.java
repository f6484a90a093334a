/** A server of Spring Cloud Config. */
@NullMarked
package dev.backoff.refresh.server;

import org.jspecify.annotations.NullMarked;
