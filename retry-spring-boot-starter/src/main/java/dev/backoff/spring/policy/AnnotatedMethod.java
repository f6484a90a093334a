package dev.backoff.spring.policy;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import dev.backoff.annotation.Backoff;

/**
 * A method that is annotated with {@code @Backoff}, itself or through its type. The
 * annotation is found as Spring finds annotations: on classes, superclasses and
 * interfaces, also as a part of composed annotations.
 *
 * @param type the class or interface that names the method
 * @param method the most specific method
 * @param onMethod the annotation of the method, or null
 * @param onType the annotation of the type, or null
 * @since 0.1
 */
public record AnnotatedMethod(Class<?> type, Method method, @Nullable Backoff onMethod, @Nullable Backoff onType) {

	/** Return whether a class may have annotated methods; false means certainly not. */
	public static boolean mayBeIn(Class<?> beanType) {
		return AnnotationSearch.mayFindIn(beanType);
	}

	/** Return the annotated methods of a bean's class, even if they cannot be advised. */
	public static Collection<AnnotatedMethod> in(Class<?> beanType) {
		// its methods share the annotation of their type
		Map<Class<?>, Optional<Backoff>> onTypes = new HashMap<>();
		Function<Class<?>, @Nullable Backoff> onType = (
				type) -> onTypes.computeIfAbsent(type, (key) -> Optional.ofNullable(onType(key))).orElse(null);
		return MethodIntrospector
			.selectMethods(beanType,
					(MethodIntrospector.MetadataLookup<AnnotatedMethod>) (method) -> of(method, beanType, onType))
			.values();
	}

	/** Return a method of a bean's class with its annotations, or null if it has none. */
	public static @Nullable AnnotatedMethod of(Method method, Class<?> beanType) {
		return of(method, beanType, AnnotatedMethod::onType);
	}

	private static @Nullable AnnotatedMethod of(Method method, Class<?> beanType,
			Function<Class<?>, @Nullable Backoff> onTypes) {
		if (ReflectionUtils.isObjectMethod(method)) {
			return null;
		}
		Class<?> type = namingType(method, beanType);
		Method specific = AopUtils.getMostSpecificMethod(method, type);
		Backoff onMethod = AnnotatedElementUtils.findMergedAnnotation(specific, Backoff.class);
		Backoff onType = onTypes.apply(type);
		if (onMethod == null && (onType == null || !isReachedByType(specific))) {
			return null;
		}
		return new AnnotatedMethod(type, specific, onMethod, onType);
	}

	private static @Nullable Backoff onType(Class<?> type) {
		return AnnotatedElementUtils.findMergedAnnotation(type, Backoff.class);
	}

	/* Classes of proxies and lambdas have generated names, and anonymous ones none. */
	private static Class<?> namingType(Method method, Class<?> beanType) {
		Class<?> userClass = ClassUtils.getUserClass(beanType);
		if (!Proxy.isProxyClass(beanType) && !ClassUtils.isLambdaClass(beanType) && !userClass.isAnonymousClass()) {
			return userClass;
		}
		if (userClass.isAnonymousClass() && userClass.getInterfaces().length == 0) {
			return userClass.getSuperclass();
		}
		return Arrays.stream(beanType.getInterfaces())
			.filter(method.getDeclaringClass()::isAssignableFrom)
			.findFirst()
			.orElse(method.getDeclaringClass());
	}

	/** An annotation on a type means its public instance methods. */
	private static boolean isReachedByType(Method method) {
		int modifiers = method.getModifiers();
		return Modifier.isPublic(modifiers) && !Modifier.isStatic(modifiers);
	}

	/** Return the hash of the method, since annotations hash themselves by reflection. */
	@Override
	public int hashCode() {
		return this.method.hashCode();
	}

	/** Return the name in meters and logs, for instance {@code OrderService.place}. */
	public String label() {
		return this.type.getSimpleName() + "." + name(this.method);
	}

	/**
	 * Return the name of a method up to the first {@code -}. Kotlin's compiler appends a
	 * {@code -} and a hash if a function takes or returns a value class.
	 */
	public static String name(Method method) {
		int hash = method.getName().indexOf('-');
		return (hash > 0) ? method.getName().substring(0, hash) : method.getName();
	}

	/** Return the name in reports, for instance {@code OrderService.place(Order)}. */
	public String signature() {
		return label() + parameters();
	}

	/**
	 * Return the parameter types, which tell overloads apart, such as {@code (Order)}.
	 */
	public String parameters() {
		return Arrays.stream(this.method.getParameterTypes())
			.filter((type) -> !type.getName().equals("kotlin.coroutines.Continuation"))
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", "(", ")"));
	}

	/** Return the place in reports: {@code @Backoff on OrderService.place(Order)}. */
	public String place() {
		return "@Backoff on " + ((this.onMethod != null) ? signature() : this.type.getSimpleName());
	}

	/** Return the place in reports of an attribute that only code sets. */
	public String place(Function<Backoff, String> attribute) {
		boolean onlyOnType = this.onType != null && !attribute.apply(this.onType).isEmpty() && !isOnMethod(attribute);
		return onlyOnType ? "@Backoff on " + this.type.getSimpleName() : place();
	}

	/** Return whether the method's own annotation sets an attribute. */
	public boolean isOnMethod(Function<Backoff, String> attribute) {
		return this.onMethod != null && !attribute.apply(this.onMethod).isEmpty();
	}

	/** Return an attribute that only code sets, empty if neither annotation sets it. */
	public String attribute(Function<Backoff, String> attribute) {
		String text = (this.onMethod != null) ? attribute.apply(this.onMethod) : "";
		return (text.isEmpty() && this.onType != null) ? attribute.apply(this.onType) : text;
	}

}
