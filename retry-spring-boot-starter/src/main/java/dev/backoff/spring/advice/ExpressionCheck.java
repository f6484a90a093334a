package dev.backoff.spring.advice;

import java.beans.PropertyDescriptor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BooleanLiteral;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpEQ;
import org.springframework.expression.spel.ast.OpNE;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ReflectionUtils;

import dev.backoff.spring.configuration.Nearest;
import dev.backoff.spring.configuration.Problem;

/**
 * Report at start-up what would go wrong in an expression later: names that are always
 * null, constructs that are not allowed, and comparisons of an enum with text, which are
 * never true. What may be an enum and is compared with text is collected.
 *
 * @param variables the types of the variables that there are
 * @param signature the method whose parameters they are, or null for a condition
 */
record ExpressionCheck(String place, Map<String, ResolvableType> variables, @Nullable String signature,
		List<Problem> problems, List<String> comparedWithText) {

	private static final Set<String> REFUSED = Set.of("TypeReference", "ConstructorReference", "BeanReference",
			"FunctionReference", "Assign", "OpInc", "OpDec");

	private static final Set<String> ALWAYS = Set.of("#root", "#this");

	void check(SpelNode root) {
		int before = this.problems.size();
		check(root, true, true);
		Class<?> type = type(root);
		boolean condition = (type != null) ? type == boolean.class || type.isAssignableFrom(Boolean.class)
				: !(root instanceof Literal) || root instanceof BooleanLiteral;
		if (!condition && this.problems.size() == before) {
			report("gives " + ((type != null) ? type.getSimpleName() : "a constant") + " instead of true or false",
					"Write a condition over #result, such as #result == false.");
		}
	}

	void checkKey(SpelNode root) {
		check(root, true, true);
		Class<?> type = type(root);
		if (type != null && !KeyExpression.isKey(type)) {
			report("gives a " + type.getSimpleName() + ", and must give " + KeyExpression.KINDS,
					"Write a parameter or a property that is one.");
		}
	}

	private String whatIsThere() {
		return (this.signature == null) ? "Use #result for the result and #root.args[0] for the first argument."
				: this.variables.isEmpty() ? "Use #root.args[0] for the first argument, or compile with -parameters."
						: "Use " + String.join(", ", this.variables.keySet()) + ".";
	}

	/* In elements of a list, a name is not the root's. An owned node is no start. */
	private void check(SpelNode node, boolean onRoot, boolean start) {
		String text = node.toStringAST();
		if (REFUSED.contains(node.getClass().getSimpleName())) {
			report("uses " + text + ", which is not allowed here", (this.signature != null) ? whatIsThere()
					: "Use #result and #root.args only; put more into a method of the result.");
			return;
		}
		if (node instanceof VariableReference && !ALWAYS.contains(text) && !this.variables.containsKey(text)) {
			report("uses " + text + ", which is "
					+ ((this.signature != null) ? "no parameter of " + this.signature : "always null"), whatIsThere());
		}
		if (onRoot && start && isUnknownName(node)) {
			report("uses " + text + ", which nothing here is called",
					this.variables.containsKey("#" + text) ? "Write #" + text + "." : whatIsThere());
		}
		if (node instanceof CompoundExpression path) {
			if (path.getChild(0).toStringAST().equals("#root") && isUnknownName(path.getChild(1))) {
				report("uses " + text + ", which nothing here is called", whatIsThere());
			}
			type(path);
		}
		if (node instanceof OpEQ || node instanceof OpNE) {
			checkComparison(node.getChild(0), node.getChild(1));
			checkComparison(node.getChild(1), node.getChild(0));
		}
		boolean elements = node instanceof Projection || node instanceof Selection;
		for (int i = 0; i < node.getChildCount(); i++) {
			boolean owned = node instanceof InlineMap || node instanceof Indexer
					|| (node instanceof CompoundExpression && i > 0);
			check(node.getChild(i), onRoot && !elements, !owned);
		}
	}

	private static boolean isUnknownName(SpelNode node) {
		return (node instanceof PropertyOrFieldReference property && !property.getName().equals("args"))
				|| node instanceof MethodReference;
	}

	private void reportProperty(String name, Class<?> type) {
		Set<String> known = Stream.of(BeanUtils.getPropertyDescriptors(type))
			.map(PropertyDescriptor::getName)
			.filter((property) -> !property.equals("class"))
			.collect(Collectors.toCollection(TreeSet::new));
		if (type.isRecord()) {
			Stream.of(type.getRecordComponents()).map(RecordComponent::getName).forEach(known::add);
		}
		String nearest = Nearest.of(name, known);
		report("uses " + name + ", which " + type.getSimpleName() + " does not have",
				(nearest != null) ? "Write " + nearest + " instead of " + name + "."
						: "Use what " + type.getSimpleName() + " has: " + String.join(", ", known) + ".");
	}

	private void report(String rule, String fix) {
		Problem problem = Problem.ofPlace(this.place, rule, fix);
		if (!this.problems.contains(problem)) {
			this.problems.add(problem);
		}
	}

	private void checkComparison(SpelNode operand, SpelNode other) {
		if (!(other instanceof StringLiteral) || operand instanceof Literal) {
			return;
		}
		String text = operand.toStringAST();
		Class<?> type = type(operand);
		if (type != null && type.isEnum()) {
			report("compares the enum " + type.getSimpleName() + " with text, which is never equal",
					"Write " + text + ".name instead of " + text + ".");
		}
		else if (type == null || type.isInterface() || type.isAssignableFrom(Enum.class)) {
			this.comparedWithText.add(text);
		}
	}

	/** Return the declared type of a path from a variable, or null if it is unknown. */
	@Nullable Class<?> type(SpelNode node) {
		boolean path = node instanceof CompoundExpression;
		SpelNode first = path ? node.getChild(0) : node;
		ResolvableType type = this.variables.get(first.toStringAST());
		for (int i = 1; path && i < node.getChildCount() && type != null; i++) {
			type = memberType(type, node.getChild(i));
		}
		return (type != null) ? type.resolve() : null;
	}

	/** Return the declared type of a member; report an unknown property. */
	private @Nullable ResolvableType memberType(ResolvableType owner, SpelNode member) {
		Class<?> type = owner.resolve();
		if (type == null) {
			return null;
		}
		if (member instanceof MethodReference method) {
			Method called = (method.getChildCount() == 0) ? ReflectionUtils.findMethod(type, method.getName()) : null;
			return (called != null) ? returnType(called, owner) : null;
		}
		if (!(member instanceof PropertyOrFieldReference reference)) {
			return null;
		}
		String name = reference.getName();
		PropertyDescriptor property = BeanUtils.getPropertyDescriptor(type, name);
		Method reader = (property != null) ? property.getReadMethod() : ReflectionUtils.findMethod(type, name);
		if (reader != null) {
			return returnType(reader, owner);
		}
		Field field = ReflectionUtils.findField(type, name);
		if (field == null && Modifier.isFinal(type.getModifiers()) && !type.isArray()) {
			reportProperty(name, type);
		}
		return (field != null) ? ResolvableType.forField(field, owner) : null;
	}

	private static ResolvableType returnType(Method method, ResolvableType owner) {
		return ResolvableType.forType(method.getGenericReturnType(), owner.as(method.getDeclaringClass()));
	}

}
