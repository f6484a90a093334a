/** Figures as tables, pictures and the page that shows them. */
@NullMarked
package dev.backoff.benchmarks.report;

import org.jspecify.annotations.NullMarked;
