package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.BridgeMethodResolver;
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
 * first parameters of the method, from none to all, and may have one more before or after
 * them for the failure or for the stop report.
 * <p>
 * Of several, the one is chosen whose failure is nearest to the failure's class, then one
 * that takes the stop report, then one that takes neither. Of several that take the same
 * failure, the one is chosen that shares most parameter types with the method.
 */
record RecoverMethods(List<RecoverMethods.Candidate> candidates) {

	static @Nullable RecoverMethods find(AnnotatedMethod annotated, ReturnTypeAdapter adapter, String name,
			List<Problem> problems) {
		List<Method> named = named(annotated.type(), name);
		List<Candidate> fitting = named.stream()
			.flatMap((method) -> candidates(annotated, adapter, method))
			.sorted(Comparator.comparingInt((Candidate candidate) -> -candidate.shared())
				.thenComparing((candidate) -> candidate.method().toGenericString()))
			.toList();
		if (fitting.isEmpty()) {
			problems.add(named.isEmpty() ? unknown(annotated, name) : misfit(annotated, name, named));
			return null;
		}
		List<Method> tied = tied(fitting);
		if (!tied.isEmpty()) {
			String names = "names " + signatures(tied) + ", which ";
			problems.add((tied.size() == 1)
					? Problem.ofPlace(place(annotated, name), names + "fits " + annotated.signature() + " in two ways",
							"Let it take the failure as a RetriesStoppedException.")
					: Problem.ofPlace(place(annotated, name), names + "fit " + annotated.signature() + " equally well",
							"Give one of them the parameters of " + annotated.signature()
									+ ", or rename all but one."));
			return null;
		}
		return new RecoverMethods(fitting);
	}

	/** Return methods between which nothing decides. The given ones are sorted. */
	private static List<Method> tied(List<Candidate> fitting) {
		for (Candidate candidate : fitting) {
			List<Candidate> best = fitting.stream()
				.filter((other) -> other.method().equals(candidate.method())
						|| (other.failure() == candidate.failure() && other.shared() >= candidate.shared()))
				.toList();
			if (best.size() > 1 && best.get(0).equals(candidate)) {
				return best.stream().map(Candidate::method).distinct().toList();
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
				+ ", or with its first parameters only. A Throwable or a RetriesStoppedException may stand before or "
				+ "after them.";
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
			// the compiler bridges to public methods of a class that is not public
			.map(BridgeMethodResolver::findBridgedMethod)
			.filter((method) -> AnnotatedMethod.name(method).equals(name) && !method.isSynthetic())
			.distinct()
			.toList();
	}

	private static boolean isStatic(Method method) {
		return Modifier.isStatic(method.getModifiers());
	}

	/** Return a method once for each place where it may take the failure, or nowhere. */
	private static Stream<Candidate> candidates(AnnotatedMethod annotated, ReturnTypeAdapter adapter, Method method) {
		int count = Suspending.parameterCount(method);
		boolean unreachable = isStatic(annotated.method()) && !isStatic(method);
		boolean fits = !unreachable && !method.equals(annotated.method())
				&& adapter.isSuspending() == Suspending.is(method) && adapter.isRecoveredBy(method, annotated);
		return IntStream.of(-1, 0, count - 1)
			.distinct()
			.filter((place) -> fits && place < count)
			.mapToObj((place) -> candidate(annotated, method, place))
			.flatMap(Stream::ofNullable);
	}

	private static @Nullable Candidate candidate(AnnotatedMethod annotated, Method method, int place) {
		Class<?> type = annotated.type();
		Class<?> failure = (place >= 0) ? parameter(method, place, type).toClass() : null;
		int taken = Suspending.parameterCount(method) - ((place >= 0) ? 1 : 0);
		boolean fits = taken <= Suspending.parameterCount(annotated.method())
				&& (failure == null || Throwable.class.isAssignableFrom(failure));
		int shared = 0;
		for (int i = 0; fits && i < taken; i++) {
			ResolvableType given = parameter(annotated.method(), i, type);
			ResolvableType wanted = parameter(method, (place == 0) ? i + 1 : i, type);
			fits = ReturnTypeAdapter.isValue(given, wanted);
			shared += (given.toClass() == wanted.toClass()) ? 1 : 0;
		}
		return fits ? new Candidate(method, failure, place, shared) : null;
	}

	private static ResolvableType parameter(Method method, int index, Class<?> type) {
		return ResolvableType.forMethodParameter(new MethodParameter(method, index).withContainingClass(type));
	}

	/** Return the method for a stop, or null if none accepts it. */
	@Nullable Candidate choose(RetriesStoppedException stopped) {
		return this.candidates.stream()
			.filter((candidate) -> candidate.distance(stopped) != Integer.MAX_VALUE)
			.min(Comparator.comparingInt((candidate) -> candidate.distance(stopped)))
			.orElse(null);
	}

	/**
	 * A method that fits.
	 *
	 * @param failure the class of the failure that it takes, or null for none
	 * @param place the index of that parameter, or -1
	 * @param shared how many of the other parameters have the types of the method's
	 */
	record Candidate(Method method, @Nullable Class<?> failure, int place, int shared) {

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

		/** Return the arguments that it takes. */
		@Nullable Object[] arguments(@Nullable Object[] arguments, RetriesStoppedException stopped) {
			int count = Suspending.parameterCount(this.method);
			boolean report = this.failure == RetriesStoppedException.class || stopped.failure() == null;
			List<@Nullable Object> taken = new ArrayList<>(
					Arrays.asList(arguments).subList(0, (this.place < 0) ? count : count - 1));
			if (this.place >= 0) {
				taken.add(this.place, report ? stopped : stopped.failure());
			}
			if (isSuspending()) {
				// the continuation
				taken.add(arguments[arguments.length - 1]);
			}
			return taken.toArray();
		}

	}

}
