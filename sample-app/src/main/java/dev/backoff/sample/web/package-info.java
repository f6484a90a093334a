/**
 * How failures look to the shop's clients.
 */
@NullMarked
package dev.backoff.sample.web;

import org.jspecify.annotations.NullMarked;
