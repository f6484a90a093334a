/**
 * What calls share so that retries do not make an overload worse: budgets and breakers by
 * name, raised delays by policy. One of each in an application context.
 */
@NullMarked
package dev.backoff.spring.safety;

import org.jspecify.annotations.NullMarked;
