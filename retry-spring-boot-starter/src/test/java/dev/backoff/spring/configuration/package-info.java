/** Tests of the configuration, each on a small application that really starts. */
@NullMarked
package dev.backoff.spring.configuration;

import org.jspecify.annotations.NullMarked;
