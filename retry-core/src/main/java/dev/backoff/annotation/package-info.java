/** The annotation, on its own: it carries text and depends on nothing. */
@NullMarked
package dev.backoff.annotation;

import org.jspecify.annotations.NullMarked;
