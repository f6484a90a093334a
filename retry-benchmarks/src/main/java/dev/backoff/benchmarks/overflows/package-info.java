/** Stack overflows in compiled code: what calls lose by them. */
@NullMarked
package dev.backoff.benchmarks.overflows;

import org.jspecify.annotations.NullMarked;
