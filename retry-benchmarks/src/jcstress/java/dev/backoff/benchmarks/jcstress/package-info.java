/** What budgets and breakers promise under threads, as tables of outcomes. */
@NullMarked
package dev.backoff.benchmarks.jcstress;

import org.jspecify.annotations.NullMarked;
