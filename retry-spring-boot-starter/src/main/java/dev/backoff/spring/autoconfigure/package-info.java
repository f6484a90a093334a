/**
 * What switches the library on, part by part, by what the application has.
 */
@NullMarked
package dev.backoff.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
