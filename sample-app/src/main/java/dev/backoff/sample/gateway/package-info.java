/**
 * The partners' side: a gateway on its own port and raw sockets, which fails as it is
 * told to. It knows nothing of the shop.
 */
@NullMarked
package dev.backoff.sample.gateway;

import org.jspecify.annotations.NullMarked;
