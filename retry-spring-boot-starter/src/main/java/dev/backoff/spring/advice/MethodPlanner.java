package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.ResolvableType;

import dev.backoff.FailureClassifier;
import dev.backoff.annotation.Backoff;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.Nearest;
import dev.backoff.spring.policy.Problem;

/** Check annotated methods, whole, and make a plan of each that can work. */
final class MethodPlanner {

	private static final List<String> REACTIVE_TYPES = List.of("org.reactivestreams.Publisher",
			"kotlinx.coroutines.flow.Flow", "io.reactivex.rxjava3.core.Single", "io.smallrye.mutiny.Uni");

	private final BackoffPolicies policies;

	private final ListableBeanFactory beanFactory;

	MethodPlanner(BackoffPolicies policies, ListableBeanFactory beanFactory) {
		this.policies = policies;
		this.beanFactory = beanFactory;
	}

	/** Return the plan of a method, or null if there are problems, which are reported. */
	@Nullable MethodPlan plan(AnnotatedMethod annotated, List<Problem> problems) {
		int before = problems.size();
		if (!this.policies.configuration().isWoven()) {
			checkProxyable(annotated, problems);
		}
		checkReturnType(annotated, problems);
		EffectivePolicy policy = this.policies.resolve(annotated, problems);
		if (policy != null) {
			checkClassifier(policy, problems);
		}
		ResolvableType result = MethodPlan.result(annotated);
		ResultExpression retryWhen = expression(annotated, "retryWhen", Backoff::retryWhen, result, problems);
		ResultExpression until = expression(annotated, "until", Backoff::until, result, problems);
		RecoverMethods recovery = recovery(annotated, problems);
		if (policy == null || problems.size() > before) {
			return null;
		}
		return new MethodPlan(annotated, this.policies.label(annotated), policy, retryWhen, until, recovery);
	}

	private static @Nullable ResultExpression expression(AnnotatedMethod annotated, String name,
			Function<Backoff, String> attribute, ResolvableType result, List<Problem> problems) {
		String text = annotated.attribute(attribute);
		if (text.isEmpty()) {
			return null;
		}
		String place = annotated.place(attribute) + ": invalid " + name;
		if (result.resolve() == void.class || (MethodPlan.isAsync(annotated) && result.resolve() == Void.class)) {
			problems.add(Problem.ofPlace(place + " (" + text + ")",
					"judges a result, and " + annotated.signature() + " returns none",
					"Remove it, or let the method return something."));
			return null;
		}
		return ResultExpression.parse(place, text, result, problems);
	}

	/* A type's annotation reaches the method that recovers the others, too. */
	private static @Nullable RecoverMethods recovery(AnnotatedMethod annotated, List<Problem> problems) {
		String recover = annotated.attribute(Backoff::recover);
		boolean itself = recover.equals(annotated.method().getName()) && !annotated.isOnMethod(Backoff::recover);
		return (recover.isEmpty() || itself) ? null : RecoverMethods.find(annotated, recover, problems);
	}

	private static void checkProxyable(AnnotatedMethod annotated, List<Problem> problems) {
		int modifiers = annotated.method().getModifiers();
		String hindrance = Modifier.isPrivate(modifiers) ? "private"
				: Modifier.isStatic(modifiers) ? "static" : Modifier.isFinal(modifiers) ? "final" : null;
		if (hindrance != null && annotated.onMethod() != null) {
			problems
				.add(Problem.ofPlace(annotated.place(), "is on a " + hindrance + " method, which no proxy can advise",
						"Make the method non-" + hindrance + ", or move the annotation to a method that calls it."));
		}
	}

	private static void checkReturnType(AnnotatedMethod annotated, List<Problem> problems) {
		Class<?> type = annotated.method().getReturnType();
		boolean later = Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)
				|| Flow.Publisher.class.isAssignableFrom(type)
				|| REACTIVE_TYPES.stream().anyMatch((name) -> is(type, name));
		boolean suspends = Arrays.stream(annotated.method().getParameterTypes())
			.anyMatch((parameter) -> parameter.getName().equals("kotlin.coroutines.Continuation"));
		if ((later || suspends) && !MethodPlan.isAsync(annotated)) {
			problems.add(Problem.ofPlace(annotated.place(),
					(annotated.onMethod() != null)
							? "is on a method that fails after it has returned ("
									+ (suspends ? "a suspend function" : type.getSimpleName()) + ")"
							: "reaches " + annotated.signature() + ", which fails after it has returned ("
									+ (suspends ? "a suspend function" : type.getSimpleName()) + ")",
					"Annotate a method that returns its result, a CompletionStage or a CompletableFuture; other "
							+ "asynchronous ones are not retried."));
		}
	}

	/* Contracts of contracts included: a Mono is a Publisher by way of another. */
	private static boolean is(@Nullable Class<?> type, String name) {
		return type != null && (type.getName().equals(name) || is(type.getSuperclass(), name)
				|| Arrays.stream(type.getInterfaces()).anyMatch((contract) -> is(contract, name)));
	}

	private void checkClassifier(EffectivePolicy policy, List<Problem> problems) {
		String name = policy.classifier();
		if (name != null && !(this.beanFactory.containsBean(name)
				&& this.beanFactory.isTypeMatch(name, FailureClassifier.class))) {
			String nearest = Nearest.of(name,
					List.of(this.beanFactory.getBeanNamesForType(FailureClassifier.class, true, false)));
			problems.add(policy.classifierProblem("names no bean of type FailureClassifier", (nearest != null)
					? "Write " + nearest + "." : "Write the name of such a bean, or define one called " + name + "."));
		}
	}

}
