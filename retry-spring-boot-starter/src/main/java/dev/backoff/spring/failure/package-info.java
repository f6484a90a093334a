/**
 * Classifiers for the failures of clients and databases: whether they may pass, and how
 * long the server asked to wait. Each classifier examines the failure and its causes, so
 * that the application's own exceptions are judged by the failure that they wrap.
 * <p>
 * The specific classifiers are asked before the general ones: HTTP clients, gRPC, Dubbo,
 * Redis and mail; data access, then plain SQL; refusals; the status of our own answer;
 * I/O. Therefore a failed call outranks the status of an exception around it, and every
 * other failure outranks the I/O failure underneath.
 */
@NullMarked
package dev.backoff.spring.failure;

import org.jspecify.annotations.NullMarked;
