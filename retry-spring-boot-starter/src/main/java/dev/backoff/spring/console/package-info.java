/** The console: a page on which an operator looks at the endpoint. */
@NullMarked
package dev.backoff.spring.console;

import org.jspecify.annotations.NullMarked;
