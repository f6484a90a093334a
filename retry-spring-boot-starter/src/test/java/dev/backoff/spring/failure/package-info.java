@NullMarked
package dev.backoff.spring.failure;

import org.jspecify.annotations.NullMarked;
