package dev.backoff.spring.aspectj;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.advice.AnnotatedBeans;
import dev.backoff.spring.advice.BackoffAdvisor;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * Check that annotated methods are woven: one that is not would silently never be
 * retried.
 */
final class WeavingCheck {

	private WeavingCheck() {
	}

	/** Check the class of a bean that exists, and throw if nothing retries a method. */
	static void check(Class<?> type) {
		if (!BackoffAdvisor.isCandidate(type)) {
			return;
		}
		Set<Problem> problems = new LinkedHashSet<>();
		for (AnnotatedMethod annotated : AnnotatedBeans.methods(type)) {
			if (isAbstract(annotated)) {
				problems.add(abstractMethod(annotated));
			}
			check(annotated, problems);
		}
		if (!problems.isEmpty()) {
			throw new InvalidBackoffException(List.copyOf(problems));
		}
	}

	/**
	 * Check a method. An abstract one is not judged: the class of the bean, known later,
	 * implements it.
	 */
	static void check(AnnotatedMethod annotated, Collection<Problem> problems) {
		if (!isWoven(annotated.method()) && !isAbstract(annotated) && !isSkipped(annotated)) {
			problems.add(isSeen(annotated) ? notWoven(annotated) : notSeen(annotated));
		}
	}

	/*
	 * The aspect declares an annotation on the methods that it advises, but cannot
	 * declare it on a method that is meant because it implements one of an annotated
	 * interface. There we look for the static method, place_aroundBody0, into which every
	 * weaver moves a method's body. The advice of another aspect leaves one as well.
	 */
	static boolean isWoven(Method method) {
		if (method.isAnnotationPresent(Woven.class)) {
			return true;
		}
		Class<?> type = method.getDeclaringClass();
		return isPublicOfInstances(method) && (type.getDeclaredAnnotation(Woven.class) != null
				|| (isOverriding(method) && hasBodyApart(method, type)));
	}

	private static boolean hasBodyApart(Method method, Class<?> type) {
		String name = method.getName() + "_aroundBody";
		return Arrays.stream(type.getDeclaredMethods()).anyMatch((body) -> body.getName().startsWith(name));
	}

	/**
	 * Return whether no weaver sees that an annotation on a type means the method,
	 * because the type that declares the method is not annotated itself. A proxy would
	 * advise it.
	 */
	static boolean isSkipped(AnnotatedMethod annotated) {
		return annotated.onMethod() == null && !isMeantByType(annotated.method());
	}

	private static boolean isSeen(AnnotatedMethod annotated) {
		return MergedAnnotations.from(annotated.method()).isPresent(Backoff.class) || isMeantByType(annotated.method());
	}

	private static boolean isMeantByType(Method method) {
		return isPublicOfInstances(method) && (isAnnotated(method.getDeclaringClass()) || isOverriding(method));
	}

	private static boolean isPublicOfInstances(Method method) {
		return Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
	}

	/** Return whether an annotated type above the method's has the method, too. */
	private static boolean isOverriding(Method method) {
		Class<?> type = method.getDeclaringClass();
		Set<Class<?>> above = new LinkedHashSet<>(ClassUtils.getAllInterfacesForClassAsSet(type));
		for (Class<?> parent = type.getSuperclass(); parent != null; parent = parent.getSuperclass()) {
			above.add(parent);
		}
		return above.stream()
			.anyMatch((parent) -> isAnnotated(parent)
					&& ReflectionUtils.findMethod(parent, method.getName(), method.getParameterTypes()) != null);
	}

	private static boolean isAnnotated(Class<?> type) {
		return MergedAnnotations.from(type, SearchStrategy.INHERITED_ANNOTATIONS).isPresent(Backoff.class);
	}

	private static boolean isAbstract(AnnotatedMethod annotated) {
		return Modifier.isAbstract(annotated.method().getModifiers());
	}

	private static Problem notWoven(AnnotatedMethod annotated) {
		String type = annotated.method().getDeclaringClass().getSimpleName();
		return Problem.ofPlace(annotated.place(),
				"is in a class that is not woven (" + type
						+ "), and with backoff.mode: aspectj nothing else would retry it",
				"Weave " + type + " when it is loaded (-javaagent:aspectjweaver.jar) or compiled "
						+ "(aspectj-maven-plugin with retry-aspectj among its aspectLibraries), or set backoff.mode to "
						+ "proxy.");
	}

	private static Problem notSeen(AnnotatedMethod annotated) {
		Method method = annotated.method();
		return Problem.ofPlace(annotated.place(),
				"is on a method that " + method.getDeclaringClass().getSimpleName()
						+ " overrides or implements, where no weaver sees it",
				"Write it on " + method.getDeclaringClass().getSimpleName() + "." + AnnotatedMethod.name(method)
						+ annotated.parameters() + " too, or set backoff.mode to proxy.");
	}

	private static Problem abstractMethod(AnnotatedMethod annotated) {
		return Problem.ofPlace(annotated.place(),
				"is on a method that no class implements, so that there is nothing to weave",
				"Annotate a method that calls it, or set backoff.mode to proxy.");
	}

}
