/** Tests of what is switched on, and of what stops an application at its start. */
@NullMarked
package dev.backoff.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
