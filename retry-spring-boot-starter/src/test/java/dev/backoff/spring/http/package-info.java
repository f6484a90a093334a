/** Calls over HTTP, against servers on the loopback interface. */
@NullMarked
package dev.backoff.spring.http;

import org.jspecify.annotations.NullMarked;
