/**
 * From what calls tell to meters and log lines. The names are API; nothing here can fail
 * a call, and nothing shows an argument or the message of a call's failure.
 */
@NullMarked
package dev.backoff.spring.observation;

import org.jspecify.annotations.NullMarked;
