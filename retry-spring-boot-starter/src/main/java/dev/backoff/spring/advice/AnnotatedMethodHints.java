package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.BackoffPolicies;

/** Register what a native image must keep for annotated methods. */
final class AnnotatedMethodHints implements BeanFactoryInitializationAotProcessor {

	@Override
	public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
			ConfigurableListableBeanFactory beanFactory) {
		BackoffPolicies policies = beanFactory.getBeanProvider(BackoffPolicies.class).getIfAvailable();
		if (policies == null) {
			return null;
		}
		ClassLoader classLoader = beanFactory.getBeanClassLoader();
		ReturnTypeAdapters adapters = new ReturnTypeAdapters(classLoader, policies.configuration().isWoven());
		List<AnnotatedMethod> methods = new ArrayList<>();
		AnnotatedBeans.candidates(beanFactory).keySet().forEach((type) -> methods.addAll(AnnotatedBeans.methods(type)));
		return (generation, code) -> {
			ReflectionHints hints = generation.getRuntimeHints().reflection();
			methods.forEach((method) -> register(hints, method, adapters));
			policies.configuration()
				.failureTypeNames()
				.forEach((name) -> hints.registerTypeIfPresent(classLoader, name));
		};
	}

	private static void register(ReflectionHints hints, AnnotatedMethod annotated, ReturnTypeAdapters adapters) {
		hierarchy(annotated.type()).forEach(hints::registerType);
		hints.registerMethod(annotated.method(), ExecutableMode.INVOKE);
		if (!annotated.attribute(Backoff::durable).isEmpty()) {
			// read from and written to JSON
			new BindingReflectionHintsRegistrar().registerReflectionHints(hints,
					annotated.method().getGenericParameterTypes());
		}
		String recover = annotated.attribute(Backoff::recover);
		if (!recover.isEmpty()) {
			RecoverMethods.named(annotated.type(), recover)
				.forEach((method) -> hints.registerMethod(method, ExecutableMode.INVOKE));
		}
		for (Backoff annotation : Arrays.asList(annotated.onMethod(), annotated.onType())) {
			if (annotation != null) {
				List.of(annotation.retryOn()).forEach(hints::registerType);
				List.of(annotation.abortOn()).forEach(hints::registerType);
			}
		}
		if (!annotated.attribute(Backoff::retryWhen).isEmpty() || !annotated.attribute(Backoff::until).isEmpty()
				|| !annotated.attribute(Backoff::per).isEmpty()) {
			registerExpression(hints, annotated, adapters);
		}
	}

	/* Expressions call getters, record components and other public methods. */
	private static void registerExpression(ReflectionHints hints, AnnotatedMethod annotated,
			ReturnTypeAdapters adapters) {
		hints.registerType(ResultExpression.Root.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		hints.registerType(Enum.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		Set<ResolvableType> read = new LinkedHashSet<>();
		ReturnTypeAdapter adapter = adapters.find(annotated, new ArrayList<>());
		if (adapter != null) {
			read.add(adapter.result(annotated));
		}
		for (Class<?> argument : annotated.method().getParameterTypes()) {
			read.add(ResolvableType.forClass(argument));
		}
		BindingReflectionHintsRegistrar properties = new BindingReflectionHintsRegistrar();
		for (ResolvableType type : read) {
			properties.registerReflectionHints(hints, type.getType());
			hints.registerType(ClassUtils.resolvePrimitiveIfNecessary(type.toClass()),
					MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.ACCESS_PUBLIC_FIELDS);
		}
	}

	/* The check at start-up searches these types for annotations and recoveries. */
	private static Set<Class<?>> hierarchy(Class<?> type) {
		Set<Class<?>> all = new LinkedHashSet<>(ClassUtils.getAllInterfacesForClassAsSet(type));
		for (Class<?> next = type; next != null && next != Object.class; next = next.getSuperclass()) {
			all.add(next);
		}
		return all;
	}

}
