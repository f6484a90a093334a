/** Budgets of many processes that call one service. */
@NullMarked
package dev.backoff.benchmarks.fleet;

import org.jspecify.annotations.NullMarked;
