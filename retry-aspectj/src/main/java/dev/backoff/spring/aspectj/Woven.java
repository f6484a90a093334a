package dev.backoff.spring.aspectj;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method, or the public instance methods of a class, as woven with our aspect.
 * Only the weaver adds this annotation. The check at start-up uses it to find methods
 * that are not woven and would not be retried.
 *
 * @since 0.1
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.TYPE })
public @interface Woven {

}
