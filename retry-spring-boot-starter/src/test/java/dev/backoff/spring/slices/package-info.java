/** Parts of an application, as Boot's test slices start them. */
@NullMarked
package dev.backoff.spring.slices;

import org.jspecify.annotations.NullMarked;
