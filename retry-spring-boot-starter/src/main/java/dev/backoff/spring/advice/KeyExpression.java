package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.ClassUtils;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.AnnotatedMethod;

/**
 * The key of a call, in the Spring Expression Language over its parameters, as restricted
 * as a {@link ResultExpression}. A parameter alone is read without evaluating.
 *
 * @param names of the parameters, none if they are not compiled in
 * @param parameter the index of the only parameter that is read, or -1
 * @param type what it gives, or null if that is not known before
 */
record KeyExpression(SpelExpression expression, List<String> names, int parameter,
		@Nullable Class<?> type) implements Function<@Nullable Object, @Nullable Object> {

	static final String KINDS = "a text, a number, an enum or a UUID";

	/** Read the expression of a method; return null if there is none or it is wrong. */
	static @Nullable KeyExpression of(AnnotatedMethod annotated, List<Problem> problems) {
		String text = annotated.attribute(Backoff::per);
		if (text.isEmpty()) {
			return null;
		}
		String[] found = new DefaultParameterNameDiscoverer().getParameterNames(annotated.method());
		List<String> names = (found != null) ? List.of(found) : List.of();
		Map<String, ResolvableType> variables = new LinkedHashMap<>();
		for (String name : names) {
			variables.put("#" + name,
					ResolvableType.forMethodParameter(annotated.method(), variables.size(), annotated.type()));
		}
		String place = annotated.place(Backoff::per) + ": invalid per (" + Problem.oneLine(text) + ")";
		ExpressionCheck check = new ExpressionCheck(place, variables, annotated.signature(), problems,
				new ArrayList<>());
		SpelExpression expression = ResultExpression.read(text, check, check::checkKey,
				"Write one over the parameters, such as #tenant.");
		return (expression == null) ? null : new KeyExpression(expression, names,
				names.indexOf(text.startsWith("#") ? text.substring(1) : ""), common(check.type(expression.getAST())));
	}

	static boolean isKey(Class<?> type) {
		return Stream.of(CharSequence.class, Number.class, Enum.class, UUID.class)
			.anyMatch((kind) -> ClassUtils.isAssignable(kind, type) || type.isAssignableFrom(kind));
	}

	/* Texts are equal whatever their class; a type that says too little is none. */
	private static @Nullable Class<?> common(@Nullable Class<?> type) {
		return (type == null) ? null
				: CharSequence.class.isAssignableFrom(type) ? String.class
						: (type.isInterface() || type == Object.class || type == Number.class) ? null
								: ClassUtils.resolvePrimitiveIfNecessary(type);
	}

	@Override
	public @Nullable Object apply(@Nullable Object context) {
		if (!(context instanceof MethodInvocation call)) {
			return null;
		}
		@Nullable Object[] arguments = call.getArguments();
		Object key = (this.parameter >= 0) ? arguments[this.parameter] : evaluate(arguments);
		if (key instanceof CharSequence text) {
			return text.toString();
		}
		if (key == null || key instanceof Number || key instanceof Enum<?> || key instanceof UUID) {
			return key;
		}
		throw new IllegalStateException("The expression " + this.expression.getExpressionString() + " gave a "
				+ key.getClass().getName() + " instead of " + KINDS);
	}

	private @Nullable Object evaluate(@Nullable Object[] arguments) {
		EvaluationContext evaluation = ResultExpression.restricted();
		for (int i = 0; i < this.names.size(); i++) {
			evaluation.setVariable(this.names.get(i), arguments[i]);
		}
		return this.expression.getValue(evaluation,
				new ResultExpression.Root(Collections.unmodifiableList(Arrays.asList(arguments))));
	}

}
