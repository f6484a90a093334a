package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ExpressionException;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

import dev.backoff.policy.RetryCondition;
import dev.backoff.spring.configuration.Problem;

/**
 * A condition over a result, written in the Spring Expression Language: {@code #result}
 * and {@code #root.args}, no types, no constructors, no beans, no assignments. The list
 * of arguments cannot be changed; its elements are the arguments themselves, arrays
 * included.
 */
final class ResultExpression implements RetryCondition {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	/* The parser refuses texts of more than 10,000 characters. */
	private static final int QUOTED = 200;

	private final SpelExpression expression;

	private final List<EnumComparison> comparisons;

	private ResultExpression(SpelExpression expression, List<EnumComparison> comparisons) {
		this.expression = expression;
		this.comparisons = comparisons;
	}

	/** Read an expression, or report why that is not possible and return null. */
	static @Nullable ResultExpression parse(String place, String text, ResolvableType resultType,
			List<Problem> problems) {
		String where = place + " (" + ((text.length() <= QUOTED) ? text : text.substring(0, QUOTED) + "...") + ")";
		List<EnumComparison> comparisons = new ArrayList<>();
		ExpressionCheck check = new ExpressionCheck(where, resultType, problems, comparisons);
		int before = problems.size();
		SpelExpression expression = read(where, text, problems);
		if (expression != null) {
			check.check(expression.getAST());
		}
		return (expression != null && problems.size() == before) ? new ResultExpression(expression, comparisons) : null;
	}

	private static @Nullable SpelExpression read(String where, String text, List<Problem> problems) {
		try {
			return PARSER.parseRaw(text);
		}
		catch (ExpressionException | IllegalStateException | IllegalArgumentException ex) {
			problems.add(Problem.ofPlace(where, "is no expression: " + reason(ex), text.contains("#{")
					? "Write it without #{}." : "Write a condition over #result, such as #result == false."));
			return null;
		}
	}

	private static String reason(Exception ex) {
		return (ex instanceof ExpressionException problem)
				? problem.getSimpleMessage().replaceAll("\\.$", "") + " (at character " + problem.getPosition() + ")"
				: "it cannot be read";
	}

	@Override
	public boolean test(@Nullable Object result, @Nullable Object context) {
		Root root = new Root((context instanceof MethodInvocation call)
				? Collections.unmodifiableList(Arrays.asList(call.getArguments())) : List.of());
		EvaluationContext evaluation = SimpleEvaluationContext.forReadOnlyDataBinding().withInstanceMethods().build();
		evaluation.setVariable("result", result);
		for (EnumComparison comparison : this.comparisons) {
			comparison.check(evaluation, root);
		}
		Object answer = this.expression.getValue(evaluation, root);
		if (answer instanceof Boolean met) {
			return met;
		}
		throw new IllegalStateException("The expression " + this.expression.getExpressionString() + " gave "
				+ ((answer == null) ? "null" : "a " + answer.getClass().getName()) + " instead of true or false");
	}

	@Override
	public String toString() {
		return this.expression.getExpressionString();
	}

	/** The root object of an expression, with a view of the call's arguments. */
	public record Root(List<@Nullable Object> args) {
	}

	/**
	 * A comparison with text where the declared type of the other side may hide an enum.
	 * To SpEL, an enum and a text are never equal. So polling would silently end at once,
	 * or never. The first comparison of an enum fails instead.
	 */
	static final class EnumComparison {

		private final SpelExpression operand;

		EnumComparison(String operand) {
			this.operand = PARSER.parseRaw(operand);
		}

		private void check(EvaluationContext evaluation, Root root) {
			Object value;
			try {
				value = this.operand.getValue(evaluation, root);
			}
			catch (EvaluationException ex) {
				// the expression may guard this operand, as in #result != null && ...
				return;
			}
			if (value instanceof Enum<?>) {
				throw new IllegalStateException("The expression compares the enum " + value.getClass().getSimpleName()
						+ " with text, which is never equal; write " + this.operand.getExpressionString() + ".name");
			}
		}

	}

}
