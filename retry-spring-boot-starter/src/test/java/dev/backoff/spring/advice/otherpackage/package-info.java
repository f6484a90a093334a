/** Where methods are hidden from the tests' own package. */
@NullMarked
package dev.backoff.spring.advice.otherpackage;

import org.jspecify.annotations.NullMarked;
