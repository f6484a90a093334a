package dev.backoff.spring.aspectj;

import dev.backoff.annotation.Backoff;

/**
 * Hand each execution of an annotated method to its retry, however the method is called.
 * <p>
 * While no application context is active in mode {@code aspectj}, the aspect only
 * proceeds. Only the weaver creates the aspect's instance. Thread-safe.
 * <p>
 * This is not an {@code @Aspect} class, because the join point of such a class loses
 * count of the advice when it proceeds more than once or on another thread. The third
 * attempt would skip the aspects inside, for example a transaction.
 *
 * @since 0.1
 */
public aspect BackoffAspect {

	/* As proxies do: outside transactions and caches, inside asynchronous execution. */
	declare precedence : *..AnnotationAsyncExecutionAspect, BackoffAspect,
		*..AnnotationTransactionAspect || *..JtaAnnotationTransactionAspect || *..AnnotationCacheAspect
		|| *..JCacheCacheAspect;

	/* A composed annotation may itself be composed, once. */
	pointcut onMethod() : execution(@Backoff * *(..)) || execution(@(@Backoff *) * *(..))
		|| execution(@(@(@Backoff *) *) * *(..));

	/* A method that implements or overrides one of an annotated type is meant as well. */
	pointcut onType() : execution(public !static * (@Backoff *).*(..))
		|| execution(public !static * (@(@Backoff *) *).*(..))
		|| execution(public !static * (@(@(@Backoff *) *) *).*(..));

	pointcut objectMethod() : execution(public String *.toString()) || execution(public int *.hashCode())
		|| execution(public boolean *.equals(Object));

	/* A proxy hands its calls on to a woven method; an annotation is a proxy, too. */
	pointcut proxy() : within(java.lang.reflect.Proxy+) || within(org.springframework.aop.SpringProxy+)
		|| within(java.lang.annotation.Annotation+);

	/* Mark the methods that are advised below, for the check at start-up. */
	declare @method : @Backoff * *(..) : @Woven;

	declare @method : @(@Backoff *) * *(..) : @Woven;

	declare @method : @(@(@Backoff *) *) * *(..) : @Woven;

	declare @type : ((@Backoff *) || (@(@Backoff *) *) || (@(@(@Backoff *) *) *))
		&& !java.lang.annotation.Annotation+ : @Woven;

	Object around() : (onMethod() || onType()) && !objectMethod() && !proxy() {
		if (ActiveContexts.isEmpty()) {
			return proceed();
		}
		// a thisJoinPoint would cost more than everything else that the call allocates;
		// the closure, which ajc passes by this name, has the object and arguments too
		return ActiveContexts.call(new WovenInvocation(thisJoinPointStaticPart) {

			@Override
			Object run() {
				return proceed();
			}

			@Override
			Object[] state() {
				return ajc$aroundClosure.getState();
			}

		});
	}

}
