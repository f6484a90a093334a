/**
 * The partners: a gateway with its own port and raw sockets, which fails on request and
 * does not depend on the shop.
 */
@NullMarked
package dev.backoff.sample.gateway;

import org.jspecify.annotations.NullMarked;
