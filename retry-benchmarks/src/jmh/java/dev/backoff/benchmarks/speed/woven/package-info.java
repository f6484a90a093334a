/** What the build weaves, apart from what it must not touch. */
@NullMarked
package dev.backoff.benchmarks.speed.woven;

import org.jspecify.annotations.NullMarked;
