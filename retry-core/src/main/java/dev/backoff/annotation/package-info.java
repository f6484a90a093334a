/** The annotation of retried methods. It depends on no other package. */
@NullMarked
package dev.backoff.annotation;

import org.jspecify.annotations.NullMarked;
