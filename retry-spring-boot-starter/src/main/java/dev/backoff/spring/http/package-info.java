/**
 * Headers that describe an attempt: clients add them to requests, and servers apply them.
 */
@NullMarked
package dev.backoff.spring.http;

import org.jspecify.annotations.NullMarked;
