package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ExpressionException;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.DataBindingMethodResolver;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

import dev.backoff.policy.RetryCondition;
import dev.backoff.spring.configuration.Problem;

/**
 * A condition over a result, written in the Spring Expression Language: {@code #result}
 * and {@code #root.args}, no types, no constructors, no beans, no assignments. The list
 * of arguments cannot be changed; its elements are the arguments themselves, arrays
 * included.
 */
record ResultExpression(SpelExpression expression, List<SpelExpression> comparedWithText) implements RetryCondition {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private static final PropertyAccessor PROPERTIES = DataBindingPropertyAccessor.forReadOnlyAccess();

	private static final MethodResolver METHODS = DataBindingMethodResolver.forInstanceMethodInvocation();

	/* The parser refuses texts of more than 10,000 characters. */
	private static final int QUOTED = 200;

	/** Read an expression, or report why that is not possible and return null. */
	static @Nullable ResultExpression parse(String place, String text, ResolvableType resultType,
			List<Problem> problems) {
		String where = place + " (" + ((text.length() <= QUOTED) ? text : text.substring(0, QUOTED) + "...") + ")";
		List<String> compared = new ArrayList<>();
		ExpressionCheck check = new ExpressionCheck(where, Map.of("#result", resultType), null, problems, compared);
		SpelExpression expression = read(text, check, check::check,
				"Write a condition over #result, such as #result == false.");
		return (expression == null) ? null
				: new ResultExpression(expression, compared.stream().map(PARSER::parseRaw).toList());
	}

	/** Read and check an expression, or report why that is not possible. */
	static @Nullable SpelExpression read(String text, ExpressionCheck check, Consumer<SpelNode> rules, String fix) {
		int before = check.problems().size();
		try {
			SpelExpression expression = PARSER.parseRaw(text);
			rules.accept(expression.getAST());
			return (check.problems().size() == before) ? expression : null;
		}
		catch (ExpressionException | IllegalStateException | IllegalArgumentException | StackOverflowError ex) {
			check.problems()
				.add(Problem.ofPlace(check.place(), "is no expression: " + reason(ex),
						text.contains("#{") ? "Write it without #{}." : fix));
			return null;
		}
	}

	private static String reason(Throwable ex) {
		return (ex instanceof ExpressionException problem)
				? problem.getSimpleMessage().replaceAll("\\.$", "") + " (at character " + problem.getPosition() + ")"
				: (ex instanceof Error) ? "it is nested too deeply" : "it cannot be read";
	}

	@Override
	public boolean test(@Nullable Object result, @Nullable Object context) {
		Root root = new Root((context instanceof MethodInvocation call)
				? Collections.unmodifiableList(Arrays.asList(call.getArguments())) : List.of());
		EvaluationContext evaluation = restricted();
		evaluation.setVariable("result", result);
		this.comparedWithText.forEach((operand) -> refuseEnum(operand, evaluation, root));
		Object answer = this.expression.getValue(evaluation, root);
		if (answer instanceof Boolean met) {
			return met;
		}
		throw new IllegalStateException("The expression " + this.expression.getExpressionString() + " gave "
				+ ((answer == null) ? "null" : "a " + answer.getClass().getName()) + " instead of true or false");
	}

	/* An expression remembers what it found only for these accessors. */
	static EvaluationContext restricted() {
		return SimpleEvaluationContext.forPropertyAccessors(PROPERTIES)
			.withAssignmentDisabled()
			.withMethodResolvers(METHODS)
			.build();
	}

	/*
	 * An enum never equals the text that it is compared with, so polling would not end.
	 */
	private static void refuseEnum(SpelExpression operand, EvaluationContext evaluation, Root root) {
		Object value;
		try {
			value = operand.getValue(evaluation, root);
		}
		catch (EvaluationException ex) {
			// the expression may guard this operand, as in #result != null && ...
			return;
		}
		if (value instanceof Enum<?>) {
			throw new IllegalStateException("The expression compares the enum " + value.getClass().getSimpleName()
					+ " with text, which is never equal; write " + operand.getExpressionString() + ".name");
		}
	}

	@Override
	public String toString() {
		return this.expression.getExpressionString();
	}

	/** The root object of an expression, with a view of the call's arguments. */
	public record Root(List<@Nullable Object> args) {
	}

}
