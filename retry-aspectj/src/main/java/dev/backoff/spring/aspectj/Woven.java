package dev.backoff.spring.aspectj;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method, or a class with its public instance methods, that our aspect is woven into.
 * Only the weaver adds it. By it the check at start-up tells woven methods from those
 * that nothing would retry.
 *
 * @since 0.1
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.TYPE })
public @interface Woven {

}
