/** Questions to an AI provider, whose account has a quota. */
@NullMarked
package dev.backoff.sample.assistant;

import org.jspecify.annotations.NullMarked;
