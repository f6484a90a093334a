/** Applications that lack what is optional, each a process of its own. */
@NullMarked
package dev.backoff.spring.minimal;

import org.jspecify.annotations.NullMarked;
