package dev.backoff.spring.aspectj;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.advice.Woven;

/**
 * Hand each execution of an annotated method to its retry, where it is woven into the
 * method's class: whoever calls it, and however.
 * <p>
 * It does nothing but proceed while no application context is active in mode
 * {@code aspectj}. Only the weaver makes it; thread-safe.
 * <p>
 * It is no {@code @Aspect}, because the join point of such an aspect loses count of its
 * advice when it proceeds more than once or on another thread: the third attempt would
 * skip the aspects inside, a transaction for instance.
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

	/* A proxy hands its calls on to what is woven itself; an annotation is a proxy, too. */
	pointcut proxy() : within(java.lang.reflect.Proxy+) || within(org.springframework.aop.SpringProxy+)
		|| within(java.lang.annotation.Annotation+);

	/* What is advised below, so that the check at start-up sees it. */
	declare @method : @Backoff * *(..) : @Woven;

	declare @method : @(@Backoff *) * *(..) : @Woven;

	declare @method : @(@(@Backoff *) *) * *(..) : @Woven;

	declare @type : ((@Backoff *) || (@(@Backoff *) *) || (@(@(@Backoff *) *) *))
		&& !java.lang.annotation.Annotation+ : @Woven;

	Object around() : (onMethod() || onType()) && !objectMethod() && !proxy() {
		if (ActiveContexts.isEmpty()) {
			return proceed();
		}
		// a thisJoinPoint would cost more than all else that is made for the call; its
		// object and arguments are also in the closure that ajc hands in by this name
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
