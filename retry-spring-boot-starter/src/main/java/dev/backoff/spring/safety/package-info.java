/**
 * Budgets, breakers and concurrency limits, which calls share so that retries do not make
 * an overload worse. They belong to one application context. The view of the budgets is a
 * contract for applications; the other public types serve our modules.
 */
@NullMarked
package dev.backoff.spring.safety;

import org.jspecify.annotations.NullMarked;
