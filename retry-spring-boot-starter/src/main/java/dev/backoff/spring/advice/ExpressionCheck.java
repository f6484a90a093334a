package dev.backoff.spring.advice;

import java.beans.PropertyDescriptor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.OpEQ;
import org.springframework.expression.spel.ast.OpNE;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ReflectionUtils;

import dev.backoff.spring.advice.ResultExpression.EnumComparison;
import dev.backoff.spring.policy.Problem;

/**
 * Find at start-up what an expression would do wrong later: names that are always null,
 * what is not allowed, and enums compared with text.
 *
 * @param place what a report calls the expression
 * @param resultType the declared type of the result
 * @param problems gets what is wrong
 * @param comparisons gets the comparisons that only a result can judge
 */
record ExpressionCheck(String place, ResolvableType resultType, List<Problem> problems,
		List<EnumComparison> comparisons) {

	private static final Set<String> REFUSED = Set.of("TypeReference", "ConstructorReference", "BeanReference",
			"Assign", "OpInc", "OpDec");

	private static final Set<String> VARIABLES = Set.of("#result", "#root", "#this");

	void check(SpelNode node) {
		if (REFUSED.contains(node.getClass().getSimpleName())) {
			this.problems.add(Problem.ofPlace(this.place, "uses " + node.toStringAST() + ", which is not allowed here",
					"Use #result and #root.args only; put more into a method of the result."));
		}
		if (node instanceof VariableReference && !VARIABLES.contains(node.toStringAST())) {
			this.problems.add(Problem.ofPlace(this.place, "uses " + node.toStringAST() + ", which is always null",
					"Use #result for the result and #root.args[0] for the first argument."));
		}
		if ((node instanceof OpEQ || node instanceof OpNE) && node.getChildCount() == 2) {
			checkComparison(node.getChild(0), node.getChild(1));
			checkComparison(node.getChild(1), node.getChild(0));
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			check(node.getChild(i));
		}
	}

	private void checkComparison(SpelNode operand, SpelNode other) {
		if (!(other instanceof StringLiteral) || operand instanceof StringLiteral) {
			return;
		}
		Class<?> type = type(operand);
		if (type != null && type.isEnum()) {
			String text = operand.toStringAST();
			this.problems.add(Problem.ofPlace(this.place,
					"compares the enum " + type.getSimpleName() + " with text, which is never equal",
					"Write " + text + ".name instead of " + text + "."));
		}
		else if (type == null || type.isInterface() || type.isAssignableFrom(Enum.class)) {
			this.comparisons.add(new EnumComparison(operand.toStringAST()));
		}
	}

	/** Return the declared type of a path from the result, or null if it is unknown. */
	private @Nullable Class<?> type(SpelNode node) {
		if (node instanceof VariableReference) {
			return node.toStringAST().equals("#result") ? this.resultType.resolve() : null;
		}
		if (!(node instanceof CompoundExpression) || !node.getChild(0).toStringAST().equals("#result")) {
			return null;
		}
		ResolvableType type = this.resultType;
		for (int i = 1; i < node.getChildCount(); i++) {
			if (!(node.getChild(i) instanceof PropertyOrFieldReference property)) {
				return null;
			}
			type = propertyType(type, property.getName());
			if (type == null) {
				return null;
			}
		}
		return type.resolve();
	}

	private static @Nullable ResolvableType propertyType(ResolvableType owner, String name) {
		Class<?> type = owner.resolve();
		if (type == null) {
			return null;
		}
		PropertyDescriptor property = BeanUtils.getPropertyDescriptor(type, name);
		Method reader = (property != null) ? property.getReadMethod() : ReflectionUtils.findMethod(type, name);
		if (reader != null) {
			return ResolvableType.forMethodReturnType(reader, type);
		}
		Field field = ReflectionUtils.findField(type, name);
		return (field != null) ? ResolvableType.forField(field, owner) : null;
	}

}
