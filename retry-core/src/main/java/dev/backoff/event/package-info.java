/**
 * What a call reports: outcomes, events, stop reasons, and the interfaces that receive
 * them.
 */
@NullMarked
package dev.backoff.event;

import org.jspecify.annotations.NullMarked;
