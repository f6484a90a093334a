/**
 * Budgets, breakers and raised delays, which calls share so that retries do not make an
 * overload worse. They belong to one application context.
 */
@NullMarked
package dev.backoff.spring.safety;

import org.jspecify.annotations.NullMarked;
