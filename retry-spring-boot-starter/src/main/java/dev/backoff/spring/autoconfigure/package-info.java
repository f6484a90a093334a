/** Auto-configuration of the library, part by part. */
@NullMarked
package dev.backoff.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
