package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.spring.configuration.Nearest;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * The methods of a bean that recover one of its methods. They have the same name and the
 * parameters of the method, and may have one more for the failure or for the stop report.
 * <p>
 * Of several, the one is chosen whose last parameter is nearest to the failure's class,
 * then one that takes the stop report, then one that takes neither. Of several that take
 * the same failure, the one is chosen that shares most parameter types with the method.
 */
record RecoverMethods(List<RecoverMethods.Candidate> candidates) {

	/** Find the methods of the given name. */
	static @Nullable RecoverMethods find(AnnotatedMethod annotated, ReturnTypeAdapter adapter, String name,
			List<Problem> problems) {
		List<Method> named = named(annotated.type(), name);
		List<Candidate> fitting = named.stream()
			.flatMap((method) -> Stream.ofNullable(candidate(annotated, adapter, method)))
			.sorted(Comparator.comparingLong((Candidate candidate) -> widened(annotated, candidate.method()))
				.thenComparing((candidate) -> candidate.method().toGenericString()))
			.toList();
		if (fitting.isEmpty()) {
			problems.add(named.isEmpty() ? unknown(annotated, name) : misfit(annotated, name, named));
			return null;
		}
		List<Method> tied = tied(annotated, fitting);
		if (!tied.isEmpty()) {
			problems.add(Problem.ofPlace(place(annotated, name),
					"names " + signatures(tied) + ", which fit " + annotated.signature() + " equally well",
					"Give one of them the parameters of " + annotated.signature() + ", or rename all but one."));
			return null;
		}
		return new RecoverMethods(fitting);
	}

	/** Return methods between which nothing decides. The given ones are sorted. */
	private static List<Method> tied(AnnotatedMethod annotated, List<Candidate> fitting) {
		for (Candidate candidate : fitting) {
			long widened = widened(annotated, candidate.method());
			List<Method> best = fitting.stream()
				.filter((other) -> other.failure() == candidate.failure())
				.map(Candidate::method)
				.filter((other) -> widened(annotated, other) <= widened)
				.toList();
			if (best.size() > 1 && best.get(0).equals(candidate.method())) {
				return best;
			}
		}
		return List.of();
	}

	/** Return the problem of a name that no method of the bean's class has. */
	static Problem unknown(AnnotatedMethod annotated, String name) {
		List<String> known = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(annotated.type()))
			.filter((method) -> method.getDeclaringClass() != Object.class && !method.isSynthetic())
			.map(AnnotatedMethod::name)
			.toList();
		String nearest = Nearest.of(name, known);
		return Problem.ofPlace(place(annotated, name), "names no method of " + annotated.type().getSimpleName(),
				(nearest != null && !nearest.equals(AnnotatedMethod.name(annotated.method())))
						? "Write " + nearest + "." : expected(annotated, name));
	}

	private static Problem misfit(AnnotatedMethod annotated, String name, List<Method> named) {
		if (named.equals(List.of(annotated.method()))) {
			return Problem.ofPlace(place(annotated, name), "names the method itself",
					"Write the name of another method of " + annotated.type().getSimpleName() + ".");
		}
		return Problem.ofPlace(place(annotated, name),
				"does not fit " + annotated.signature() + ", because it is " + signatures(named),
				expected(annotated, name));
	}

	private static String signatures(List<Method> methods) {
		return methods.stream().map(RecoverMethods::signature).collect(Collectors.joining(" and "));
	}

	private static String place(AnnotatedMethod annotated, String name) {
		return annotated.place(Backoff::recover) + ": invalid recover (" + name + ")";
	}

	private static String expected(AnnotatedMethod annotated, String name) {
		String like = signature(annotated.method());
		return "Write " + like.replaceFirst(" " + AnnotatedMethod.name(annotated.method()) + "\\(", " " + name + "(")
				+ ", if you like with a Throwable or a RetriesStoppedException as its last parameter.";
	}

	private static String signature(Method method) {
		Type result = Suspending.is(method)
				? Suspending.result(method, method.getDeclaringClass()).resolve(Object.class)
				: method.getGenericReturnType();
		// with type arguments, which may be the only difference, and without packages
		return (isStatic(method) ? "static " : Suspending.is(method) ? "suspending " : "") + simple(result) + " "
				+ AnnotatedMethod.name(method)
				+ Arrays.stream(method.getGenericParameterTypes())
					.limit(Suspending.parameterCount(method))
					.map(RecoverMethods::simple)
					.collect(Collectors.joining(", ", "(", ")"));
	}

	private static String simple(Type type) {
		return type.getTypeName().replaceAll("(?:\\w+[.$])+", "");
	}

	/** Return the methods of a name, with any parameters. */
	static List<Method> named(Class<?> type, String name) {
		Set<Method> methods = new LinkedHashSet<>(List.of(ReflectionUtils.getUniqueDeclaredMethods(type)));
		for (Class<?> contract : ClassUtils.getAllInterfacesForClassAsSet(type)) {
			for (Method method : contract.getMethods()) {
				methods.add(ClassUtils.getMostSpecificMethod(method, type));
			}
		}
		return methods.stream()
			.filter((method) -> AnnotatedMethod.name(method).equals(name) && !method.isBridge()
					&& !method.isSynthetic())
			.toList();
	}

	private static boolean isStatic(Method method) {
		return Modifier.isStatic(method.getModifiers());
	}

	private static @Nullable Candidate candidate(AnnotatedMethod annotated, ReturnTypeAdapter adapter, Method method) {
		Class<?> type = annotated.type();
		int count = Suspending.parameterCount(annotated.method());
		int extra = Suspending.parameterCount(method) - count;
		boolean unreachable = isStatic(annotated.method()) && !isStatic(method);
		if (extra < 0 || extra > 1 || unreachable || method.equals(annotated.method())) {
			return null;
		}
		Class<?> failure = (extra == 1) ? parameter(method, count, type).toClass() : null;
		boolean fits = IntStream.range(0, count)
			.allMatch((i) -> ReturnTypeAdapter.isValue(parameter(annotated.method(), i, type),
					parameter(method, i, type)))
				&& (failure == null || Throwable.class.isAssignableFrom(failure))
				&& adapter.isSuspending() == Suspending.is(method) && adapter.isRecoveredBy(method, annotated);
		return fits ? new Candidate(method, failure) : null;
	}

	private static ResolvableType parameter(Method method, int index, Class<?> type) {
		return ResolvableType.forMethodParameter(new MethodParameter(method, index).withContainingClass(type));
	}

	/** Return the number of parameters whose type is not that of the method's. */
	private static long widened(AnnotatedMethod annotated, Method method) {
		Class<?> type = annotated.type();
		return IntStream.range(0, Suspending.parameterCount(annotated.method()))
			.filter((i) -> parameter(annotated.method(), i, type).toClass() != parameter(method, i, type).toClass())
			.count();
	}

	/** Return the method for a stop, or null if none accepts it. */
	@Nullable Candidate choose(RetriesStoppedException stopped) {
		return this.candidates.stream()
			.filter((candidate) -> candidate.distance(stopped) != Integer.MAX_VALUE)
			.min(Comparator.comparingInt((candidate) -> candidate.distance(stopped)))
			.orElse(null);
	}

	record Candidate(Method method, @Nullable Class<?> failure) {

		private static final int TAKES_REPORT = 1_000;

		private static final int TAKES_NOTHING = 2_000;

		boolean isSuspending() {
			return Suspending.is(this.method);
		}

		private int distance(RetriesStoppedException stopped) {
			if (this.failure == null) {
				return TAKES_NOTHING;
			}
			if (this.failure == RetriesStoppedException.class) {
				return TAKES_REPORT;
			}
			Throwable thrown = (stopped.failure() != null) ? stopped.failure() : stopped;
			int distance = 0;
			for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
				if (type == this.failure) {
					return distance;
				}
				distance++;
			}
			return Integer.MAX_VALUE;
		}

		/**
		 * Return the arguments of the call, with the failure or the stop report if it is
		 * taken.
		 */
		@Nullable Object[] arguments(@Nullable Object[] arguments, RetriesStoppedException stopped) {
			if (this.failure == null) {
				return arguments;
			}
			@Nullable Object[] extended = Arrays.copyOf(arguments, arguments.length + 1);
			int last = arguments.length;
			if (isSuspending()) {
				// the continuation stays the last
				extended[last] = extended[--last];
			}
			boolean report = this.failure == RetriesStoppedException.class || stopped.failure() == null;
			extended[last] = report ? stopped : stopped.failure();
			return extended;
		}

	}

}
