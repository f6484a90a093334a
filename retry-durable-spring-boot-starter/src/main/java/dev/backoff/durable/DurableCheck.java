package dev.backoff.durable;

import java.io.Closeable;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.BaseStream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ResolvableType;
import org.springframework.expression.Expression;
import org.springframework.expression.ExpressionException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.EffectivePolicy;

/** Report at start-up what no durable method can be. */
record DurableCheck(AnnotatedMethod method, List<Problem> problems) {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	/* The engine's column, less the suffix of dead letters. */
	private static final int LONGEST_NAME = 95;

	private static final List<String> REFUSED_PACKAGES = List.of("org.springframework.", "jakarta.servlet.",
			"java.sql.", "javax.sql.", "java.util.function.", "java.util.concurrent.");

	private static final Set<String> REFUSED_ANNOTATIONS = Set.of("jakarta.persistence.Entity",
			"jakarta.persistence.MappedSuperclass");

	private static final Set<String> REFUSED_BESIDE = Set.of("org.springframework.scheduling.annotation.Async",
			"org.springframework.scheduling.annotation.Scheduled",
			"org.springframework.scheduling.annotation.Schedules");

	private static final Set<String> TYPE_ANNOTATIONS = Set.of("com.fasterxml.jackson.annotation.JsonTypeInfo",
			"tools.jackson.databind.annotation.JsonDeserialize");

	/** Check a method with its policy. */
	void check(EffectivePolicy policy) {
		checkName(policy.name());
		for (Annotation beside : this.method.method().getAnnotations()) {
			if (REFUSED_BESIDE.contains(beside.annotationType().getName())) {
				report("durable (true)", "is beside @" + beside.annotationType().getSimpleName()
						+ ", and a durable call is made in the background already", "Remove one of the two.");
			}
		}
		EffectiveValue replay = policy.values().get(PolicyKey.REPLAY);
		if (policy.isReplayed() && replay != null) {
			report("replay (" + replay.text() + ")", "is of streams, and a durable call returns none", "Remove it.");
		}
		Parameter[] parameters = this.method.method().getParameters();
		for (int i = 0; i < parameters.length; i++) {
			String reason = refused(ResolvableType.forMethodParameter(this.method.method(), i, this.method.type()));
			if (reason != null) {
				report("durable (true)", "stores the arguments as JSON, and the parameter " + parameters[i].getName()
						+ " of " + this.method.signature() + " " + reason, "Pass its id, or a value of simple types.");
			}
		}
	}

	/** Read the schedule; return null if there is none or it is wrong. */
	@Nullable OneRowSchedule schedule(EffectivePolicy policy) {
		EffectiveValue text = policy.values().get(PolicyKey.SCHEDULE);
		if (text == null) {
			return null;
		}
		String what = "schedule (" + text.text() + ")";
		if (this.method.method().getParameterCount() > 0) {
			report(what, "calls " + this.method.signature() + ", which needs arguments", "Remove the parameters.");
		}
		if (!this.method.attribute(Backoff::key).isEmpty()) {
			report(what, "is beside a key, and a slot has its own", "Remove one of the two.");
		}
		try {
			return OneRowSchedule.of(policy);
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			report(what, "is no schedule: " + ex.getMessage(),
					"Write a cron expression of six fields, such as 0 0 3 * * *, or every 10m.");
			return null;
		}
	}

	private void checkName(String name) {
		String value = "value (" + name + ")";
		if (this.method.attribute(Backoff::value).isEmpty()) {
			report("durable (true)", "needs a policy name, by which rows find their method after a renaming",
					"Give the annotation a name, such as @Backoff(\"" + this.method.method().getName() + "\").");
		}
		else if (name.length() > LONGEST_NAME) {
			report(value, "must have at most " + LONGEST_NAME + " characters for a durable policy", "Shorten it.");
		}
		else if (name.matches(".*['/\\\\].*")) {
			report(value, "must not contain a quote, a slash or a backslash for a durable policy",
					"Use letters, digits and hyphens.");
		}
	}

	/** Return why values of a type cannot be read back from JSON, or null. */
	private static @Nullable String refused(ResolvableType type) {
		Class<?> known = type.resolve();
		if (known == null || known == Object.class) {
			return "is of no certain type";
		}
		if (known.isArray()) {
			return refused(type.getComponentType());
		}
		if (Collection.class.isAssignableFrom(known) || Map.class.isAssignableFrom(known)) {
			return Arrays.stream(type.getGenerics())
				.map(DurableCheck::refused)
				.filter((reason) -> reason != null)
				.findFirst()
				.orElse(null);
		}
		boolean foreign = REFUSED_PACKAGES.stream().anyMatch(known.getName()::startsWith)
				|| Closeable.class.isAssignableFrom(known) || BaseStream.class.isAssignableFrom(known);
		if (foreign) {
			return "is a " + known.getSimpleName() + ", which belongs to this process";
		}
		if (has(known, REFUSED_ANNOTATIONS)) {
			return "is the entity " + known.getSimpleName() + ", of which the attempt would see an old state";
		}
		boolean open = Modifier.isAbstract(known.getModifiers()) && !known.isPrimitive() && !known.isEnum()
				&& known != CharSequence.class && known != Number.class && !has(known, TYPE_ANNOTATIONS);
		return open ? "is of the abstract type " + known.getSimpleName() + ", and no type is stored" : null;
	}

	private static boolean has(Class<?> type, Set<String> annotations) {
		return Arrays.stream(type.getAnnotations())
			.anyMatch((annotation) -> annotations.contains(annotation.annotationType().getName()));
	}

	/** Read the expression of the key; return null if there is none or it is wrong. */
	@Nullable Expression key() {
		String text = this.method.attribute(Backoff::key);
		if (text.isEmpty()) {
			return null;
		}
		try {
			SpelExpression expression = PARSER.parseRaw(text);
			checkNames(expression.getAST(), names(this.method.method()), true);
			return expression;
		}
		catch (ExpressionException | IllegalStateException ex) {
			report("key (" + text + ")", "is no expression", "Write one over the parameters, such as #order.");
			return null;
		}
	}

	/** Return the names of a method's parameters, none if they are not compiled in. */
	static List<String> names(Method method) {
		String[] names = new DefaultParameterNameDiscoverer().getParameterNames(method);
		return (names != null) ? List.of(names) : List.of();
	}

	/* A node starts unless it belongs to what stands before it. */
	private void checkNames(SpelNode node, List<String> names, boolean starts) {
		String text = node.toStringAST();
		boolean bare = starts && (node instanceof PropertyOrFieldReference || node instanceof MethodReference)
				&& !text.equals("args");
		boolean unknown = node instanceof VariableReference && !text.equals("#root")
				&& !names.contains(text.substring(1));
		if (bare || unknown) {
			report("key (" + this.method.attribute(Backoff::key) + ")",
					names.contains(text) ? "uses " + text + " without #"
							: "uses " + text + ", which is no parameter of " + this.method.signature(),
					names.isEmpty() ? "Write #root.args[0] for the first argument, or compile with -parameters."
							: "Use #" + String.join(", #", names) + ".");
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			checkNames(node.getChild(i), names, starts && !(node instanceof CompoundExpression && i > 0));
		}
	}

	private void report(String what, String rule, String fix) {
		this.problems.add(Problem.ofPlace(this.method.place() + ": invalid " + what, rule, fix));
	}

}
