package dev.backoff.spring.advice;

import org.aopalliance.intercept.MethodInvocation;

/**
 * An invocation that can proceed any number of times, on any thread and after it has
 * returned, each time with the arguments of the call.
 * <p>
 * Each call is tested for this type. It is a class because the test for a class is faster
 * than the test for an interface that an object does not implement.
 *
 * @since 0.1
 */
public abstract class RepeatableInvocation implements MethodInvocation {

}
