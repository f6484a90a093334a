package dev.backoff.spring.advice;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method, or a class with its public instance methods, that our aspect is woven into.
 * The weaver puts it there, nobody else: it is how the check at start-up tells woven
 * methods from those that nothing would retry.
 *
 * @since 0.1
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.TYPE })
public @interface Woven {

}
