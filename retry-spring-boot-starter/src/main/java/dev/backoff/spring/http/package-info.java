/**
 * Calls over HTTP: what a request tells its server about the attempt it belongs to, and
 * what a server makes of it. Nothing here fails a request.
 */
@NullMarked
package dev.backoff.spring.http;

import org.jspecify.annotations.NullMarked;
