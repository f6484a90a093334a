/** The failures that the clients of the shop see. */
@NullMarked
package dev.backoff.sample.web;

import org.jspecify.annotations.NullMarked;
