/**
 * The console, a page for the endpoint {@code backoff}. The page and the answers of that
 * endpoint are all that it is made of.
 */
@NullMarked
package dev.backoff.console;

import org.jspecify.annotations.NullMarked;
