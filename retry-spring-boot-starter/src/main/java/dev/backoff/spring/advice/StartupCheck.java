package dev.backoff.spring.advice;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.BackoffPolicies;

/**
 * Check the configuration and every annotated method before any bean is made, and report
 * all problems at once. If the class of a bean is known only when the bean is made, its
 * methods are checked at their first call.
 * <p>
 * Processing ahead of time only warns. The application may be configured differently
 * where it runs, and is checked again there.
 */
final class StartupCheck implements BeanFactoryPostProcessor, Ordered {

	private static final Logger logger = LoggerFactory.getLogger(StartupCheck.class);

	private static final List<String> CALLED_BY_CONTAINER = List.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy");

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		BackoffPolicies policies = beanFactory.getBean(BackoffPolicies.class);
		BackoffMethods methods = beanFactory.getBean(BackoffMethods.class);
		Map<Class<?>, String> types = AnnotatedBeans.candidates(beanFactory);
		Map<Class<?>, List<AnnotatedMethod>> annotated = annotated(types.keySet(), policies);
		boolean woven = policies.configuration().isWoven();
		Weaving weaving = woven ? Weaving.find(beanFactory.getBeanClassLoader()) : null;
		List<Problem> problems = new ArrayList<>();
		List<MethodPlan> plans = new ArrayList<>();
		annotated.forEach((type, found) -> {
			BeanDefinition bean = beanFactory.getMergedBeanDefinition(Objects.requireNonNull(types.get(type)));
			if (!woven) {
				checkClass(type, bean, beanFactory, problems);
			}
			for (AnnotatedMethod method : found) {
				if (!woven && isCalledByContainer(method, bean)) {
					problems.add(Problem.ofPlace(method.place(),
							"is on a method that the container calls by itself, without a proxy that retries it",
							"Move it to SmartLifecycle.start or an ApplicationRunner, or to a method of another bean that "
									+ "this one calls."));
				}
				if (isAdvisable(method, woven, weaving)) {
					plan(methods, method, plans, problems);
				}
			}
		});
		checkShared(plans, problems);
		checkKeys(plans, problems);
		if (weaving != null) {
			annotated.values().forEach((found) -> found.forEach((method) -> weaving.check(method, problems)));
		}
		policies.current().check(problems);
		methods.checkPolicies(policies.current(), problems);
		if (isChecked(problems.stream().distinct().toList(), policies.configuration().isEnabled())) {
			methods.advice().log(plans);
		}
	}

	private static Map<Class<?>, List<AnnotatedMethod>> annotated(Set<Class<?>> types, BackoffPolicies policies) {
		Map<Class<?>, List<AnnotatedMethod>> annotated = new LinkedHashMap<>();
		for (Class<?> type : types) {
			List<AnnotatedMethod> found = AnnotatedBeans.methods(type);
			if (!found.isEmpty()) {
				// for the order of reports: the virtual machine gives methods in no order
				found.sort(Comparator.comparing(AnnotatedMethod::signature));
				annotated.put(type, found);
				found.forEach((method) -> policies.current().announce(method.type()));
			}
		}
		return annotated;
	}

	/* The methods of a policy share its permits and its pace. */
	private static void checkShared(List<MethodPlan> plans, List<Problem> problems) {
		Map<String, MethodPlan> first = new LinkedHashMap<>();
		for (MethodPlan plan : plans) {
			MethodPlan other = first.computeIfAbsent(plan.policy().name(), (name) -> plan);
			if (plan.policy().numbers().concurrency() != other.policy().numbers().concurrency()) {
				problems.add(differing(PolicyKey.CONCURRENCY, plan, other));
			}
			if (!Objects.equals(plan.policy().pace(), other.policy().pace())) {
				problems.add(differing(PolicyKey.PACE, plan, other));
			}
		}
	}

	private static Problem differing(Key<?> key, MethodPlan plan, MethodPlan other) {
		String policy = plan.policy().name();
		return Problem.ofPlace(plan.method().place() + ": invalid " + key + " (" + value(plan, key) + ")",
				"must be the same for all methods of policy " + policy + ", and is " + value(other, key) + " for "
						+ other.label(),
				"Write it once, as backoff.policies." + policy + "." + key + ".");
	}

	private static String value(MethodPlan plan, Key<?> key) {
		return Objects.requireNonNull(plan.policy().values().get(key)).value();
	}

	/* The keys of a policy are in one table, where 1 and "1" are two. */
	private static void checkKeys(List<MethodPlan> plans, List<Problem> problems) {
		Map<String, MethodPlan> first = new HashMap<>();
		for (MethodPlan plan : plans) {
			String type = plan.typeOfKey();
			MethodPlan other = (type != null) ? first.putIfAbsent(plan.policy().name(), plan) : null;
			if (other != null && !Objects.equals(type, other.typeOfKey())) {
				problems.add(Problem.ofPlace(
						plan.method().place(Backoff::per) + ": invalid per (" + plan.method().attribute(Backoff::per)
								+ ")",
						"gives a " + type + ", and that of " + other.label() + ", of the same policy "
								+ plan.policy().name() + ", a " + other.typeOfKey(),
						"Give keys of one type, or give one of the methods a policy of its own."));
			}
		}
	}

	/** Refuse problems, or log them where they do not count and return false. */
	private static boolean isChecked(List<Problem> problems, boolean enabled) {
		// problems may be why it is switched off
		String warning = !enabled ? "Without effect while backoff.enabled is false: {}"
				: Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)
						? "Stops the start-up if it is configured so: {}" : null;
		if (warning != null) {
			problems.forEach((problem) -> logger.warn(warning, problem));
			return false;
		}
		if (!problems.isEmpty()) {
			throw new InvalidBackoffException(problems);
		}
		return true;
	}

	/* The calls are made on the bean itself, at the begin and the end of its life. */
	private static boolean isCalledByContainer(AnnotatedMethod annotated, BeanDefinition bean) {
		if (annotated.onMethod() == null || annotated.method().getParameterCount() > 0) {
			return false;
		}
		MergedAnnotations annotations = MergedAnnotations.from(annotated.method(), SearchStrategy.TYPE_HIERARCHY);
		String name = annotated.method().getName();
		Class<?> type = annotated.type();
		return CALLED_BY_CONTAINER.stream().anyMatch(annotations::isPresent)
				|| (name.equals("afterPropertiesSet") && InitializingBean.class.isAssignableFrom(type))
				|| (name.equals("destroy") && DisposableBean.class.isAssignableFrom(type))
				|| (bean instanceof AbstractBeanDefinition definition
						&& (ObjectUtils.containsElement(definition.getInitMethodNames(), name)
								|| ObjectUtils.containsElement(definition.getDestroyMethodNames(), name)));
	}

	/** Return whether the method can be advised, or log that it cannot. */
	private static boolean isAdvisable(AnnotatedMethod method, boolean woven, @Nullable Weaving weaving) {
		if (weaving != null && weaving.isSkipped(method)) {
			logger.warn("{}: no weaver sees that it means {} of {}, which is not retried", method.place(),
					method.signature(), method.method().getDeclaringClass().getSimpleName());
			return false;
		}
		if (!woven && method.onMethod() == null && Modifier.isFinal(method.method().getModifiers())) {
			logger.warn("{}: {} is final, so no proxy can advise it and it is not retried", method.place(),
					method.signature());
			return false;
		}
		return true;
	}

	private static void plan(BackoffMethods methods, AnnotatedMethod method, List<MethodPlan> plans,
			List<Problem> problems) {
		MethodPlan plan = methods.plan(method, problems);
		if (Modifier.isAbstract(method.type().getModifiers())) {
			// the class of the bean is known later and may have the method
			problems.remove(RecoverMethods.unknown(method, method.attribute(Backoff::recover)));
		}
		if (plan != null) {
			plans.add(plan);
		}
	}

	private static void checkClass(Class<?> type, BeanDefinition bean, ConfigurableListableBeanFactory beanFactory,
			List<Problem> problems) {
		boolean interfaces = ClassUtils.getAllInterfacesForClass(type).length > 0;
		boolean sealed = type.isSealed() && !Modifier.isAbstract(type.getModifiers());
		if (!(sealed || Modifier.isFinal(type.getModifiers()))
				|| (interfaces && isProxiedByInterface(bean, beanFactory))) {
			return;
		}
		String contracts = !interfaces ? "."
				: AotDetector.useGeneratedArtifacts()
						? ", or set spring.aop.proxy-target-class to false: processing ahead of time loses @Proxyable."
						: ", or let it be proxied by its interfaces with @Proxyable(INTERFACES).";
		problems.add(Problem.ofPlace("@Backoff on " + type.getSimpleName(),
				(type.isRecord() ? "a record" : "the class") + " is " + (sealed ? "sealed" : "final")
						+ ", so no proxy can be made of it",
				(type.isRecord() ? "Make it a class" : sealed ? "Remove sealed and permits" : "Make it non-final")
						+ contracts));
	}

	private static boolean isProxiedByInterface(BeanDefinition bean, ConfigurableListableBeanFactory beanFactory) {
		return bean.hasAttribute(AutoProxyUtils.EXPOSED_INTERFACES_ATTRIBUTE) || !beanFactory.getBean(Environment.class)
			.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
	}

}
