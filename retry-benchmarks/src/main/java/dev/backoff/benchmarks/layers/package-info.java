/** Three layers that retry: how often the innermost is called. */
@NullMarked
package dev.backoff.benchmarks.layers;

import org.jspecify.annotations.NullMarked;
