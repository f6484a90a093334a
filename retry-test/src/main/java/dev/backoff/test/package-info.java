/**
 * Tests of retried code: time that passes only while calls wait, draws that are not left
 * to chance, records of calls, and faults by script.
 */
@NullMarked
package dev.backoff.test;

import org.jspecify.annotations.NullMarked;
