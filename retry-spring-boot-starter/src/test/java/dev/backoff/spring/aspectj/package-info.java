/**
 * The tests of weaving. Those tagged {@code weaving} run twice, woven by the compiler and
 * by the agent; the others run on classes that nobody wove.
 */
package dev.backoff.spring.aspectj;
