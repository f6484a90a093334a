package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.InvalidBackoffException;
import dev.backoff.spring.policy.Problem;

/**
 * Whether annotated methods are woven, in mode {@code aspectj}: what is not would
 * silently never be retried.
 *
 * @since 0.1
 */
public final class WeavingCheck {

	private static final Logger logger = LoggerFactory.getLogger(WeavingCheck.class);

	private WeavingCheck() {
	}

	/**
	 * Return whether a class can have annotated methods at all; a cheap answer.
	 * @param type the class of a bean
	 * @return false if it surely has none
	 */
	public static boolean isCandidate(Class<?> type) {
		return BackoffAdvisor.isCandidate(type);
	}

	/**
	 * Check the class of a bean.
	 * @param type the class, of an object that exists
	 * @throws InvalidBackoffException if it has annotated methods that nothing retries
	 */
	public static void check(Class<?> type) {
		if (!isCandidate(type)) {
			return;
		}
		Set<Problem> problems = new LinkedHashSet<>();
		for (AnnotatedMethod annotated : StartupCheck.annotatedMethods(type)) {
			if (isAbstract(annotated)) {
				problems.add(abstractMethod(annotated));
			}
			check(annotated, problems);
		}
		if (!problems.isEmpty()) {
			throw new InvalidBackoffException(List.copyOf(problems));
		}
	}

	/** Return whether AspectJ is there; without it nothing is worth checking. */
	static boolean isPossible(@Nullable ClassLoader classLoader) {
		return ClassUtils.isPresent("org.aspectj.lang.JoinPoint", classLoader);
	}

	/**
	 * Check a method found at start-up. An abstract one tells nothing: the class of the
	 * bean, known later, has another.
	 */
	static void check(AnnotatedMethod annotated, Collection<Problem> problems) {
		if (!isWoven(annotated.method()) && !isAbstract(annotated) && !isSkipped(annotated)) {
			problems.add(isSeen(annotated) ? notWoven(annotated) : notSeen(annotated));
		}
	}

	/*
	 * The aspect declares an annotation on what it advises, but cannot declare it on a
	 * method that is meant because it implements one of an annotated interface. For those
	 * there is what each weaver leaves of a method that it puts advice around: its body,
	 * as a static method place_aroundBody0. That may be some other aspect's advice.
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
	 * Return whether a woven method runs as a part of the one that overrides it, which is
	 * woven too: a call of {@code super} is not a call of its own.
	 */
	static boolean isCalledByOverriding(Method method, AnnotatedMethod annotated) {
		return !annotated.method().equals(method) && isWoven(annotated.method());
	}

	/**
	 * Return whether no weaver sees that an annotation on a type means the method: that
	 * of a class or an interface that is not annotated itself. A proxy would have advised
	 * it.
	 */
	static boolean isSkipped(AnnotatedMethod annotated) {
		return annotated.onMethod() == null && !isMeantByType(annotated.method());
	}

	static void warnOfSkipped(AnnotatedMethod annotated) {
		logger.warn("{}: no weaver sees that it means {} of {}, which is not retried", annotated.place(),
				annotated.signature(), annotated.method().getDeclaringClass().getSimpleName());
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
						+ "(aspectj-maven-plugin with this starter among its aspectLibraries), or set backoff.mode to "
						+ "proxy.");
	}

	private static Problem notSeen(AnnotatedMethod annotated) {
		Method method = annotated.method();
		return Problem.ofPlace(annotated.place(),
				"is on a method that " + method.getDeclaringClass().getSimpleName()
						+ " overrides or implements, where no weaver sees it",
				"Write it on " + method.getDeclaringClass().getSimpleName() + "." + method.getName()
						+ annotated.parameters() + " too, or set backoff.mode to proxy.");
	}

	private static Problem abstractMethod(AnnotatedMethod annotated) {
		return Problem.ofPlace(annotated.place(),
				"is on a method that no class implements, so that there is nothing to weave",
				"Annotate a method that calls it, or set backoff.mode to proxy.");
	}

}
