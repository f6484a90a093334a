package dev.backoff.spring.advice;

import org.aopalliance.intercept.MethodInvocation;

/**
 * An invocation that can proceed any number of times, on any thread and after it has
 * returned, each time with the arguments of the call.
 * <p>
 * It is a class, since each call asks for it: that an object is of a class is seen at
 * once, but that it lacks an interface only after a search through all that it has.
 *
 * @since 0.1
 */
public abstract class RepeatableInvocation implements MethodInvocation {

	/**
	 * Make an invocation.
	 */
	protected RepeatableInvocation() {
	}

}
