package dev.backoff.spring.aspectj;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;

/** Stands for Spring's aspect of the same name, inside ours by its name alone. */
@Aspect
public class AnnotationTransactionAspect {

	@Around("execution(@dev.backoff.spring.aspectj.AnnotationTransactionAspect.Enclosed * *(..))")
	public Object enclose(ProceedingJoinPoint joinPoint) throws Throwable {
		Script.note("begin");
		try {
			return joinPoint.proceed();
		}
		finally {
			Script.note("end");
		}
	}

	/** A method in a transaction. */
	@interface Enclosed {

	}

}
