/**
 * What failures of clients and databases mean: whether they may pass, and how long the
 * server asked to wait. Each classifier looks at the failure and its causes, so that an
 * exception of the application's own that wraps a client's is judged by what happened.
 * <p>
 * They are asked from the particular to the general: HTTP clients, gRPC, Redis and mail;
 * data access, then plain SQL; refusals; the status of our own answer; I/O. So a failed
 * call outranks the status that an exception around it carries, and everything outranks
 * the I/O failure underneath.
 */
@NullMarked
package dev.backoff.spring.failure;

import org.jspecify.annotations.NullMarked;
