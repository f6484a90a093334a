/**
 * See what a policy will do to its caller and to the service that it calls, before it
 * ships: the real policies, budgets and breakers on an event queue.
 */
@NullMarked
package dev.backoff.simulator;

import org.jspecify.annotations.NullMarked;
