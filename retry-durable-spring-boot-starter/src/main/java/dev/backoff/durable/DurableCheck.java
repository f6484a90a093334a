package dev.backoff.durable;

import java.io.Closeable;
import java.io.Serializable;
import java.lang.annotation.Annotation;
import java.lang.reflect.Parameter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonBackReference;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.impl.ObjectIdValueProperty;

import org.springframework.core.DefaultParameterNameDiscoverer;
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
import dev.backoff.durable.DurableMethods.DurableMethod;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.EffectivePolicy;

/** Report at start-up what no durable method can be. */
record DurableCheck(AnnotatedMethod method, CallJson json, List<Problem> problems) {

	/* The engine's column, less the suffix of dead letters. */
	private static final int LONGEST_NAME = 95;

	private static final List<String> REFUSED_PACKAGES = List.of("org.springframework.", "jakarta.servlet.",
			"java.sql.", "javax.sql.", "java.util.Calendar", "java.util.GregorianCalendar", "java.util.regex.",
			"javax.xml.datatype.");

	private static final Set<Class<?>> UNCERTAIN = Set.of(Object.class, Serializable.class, Comparable.class,
			Number.class);

	private static final Set<String> REFUSED_ANNOTATIONS = Set.of("jakarta.persistence.Entity",
			"jakarta.persistence.MappedSuperclass");

	private static final Set<String> REFUSED_BESIDE = Set.of("org.springframework.scheduling.annotation.Async",
			"org.springframework.scheduling.annotation.Scheduled",
			"org.springframework.scheduling.annotation.Schedules");

	/** Report what is wrong with a method and its policy, and return the rest. */
	DurableMethod check(EffectivePolicy policy) {
		checkName(policy.name());
		for (Annotation beside : this.method.method().getAnnotations()) {
			if (REFUSED_BESIDE.contains(beside.annotationType().getName())) {
				report("durable (true)", "is beside @" + beside.annotationType().getSimpleName()
						+ ", and a durable call is made in the background already", "Remove one of the two.");
			}
		}
		EffectiveValue replay = policy.values().get(PolicyKey.REPLAY);
		if (policy.replayed() && replay != null) {
			report("replay (" + replay.value() + ")", "is of streams, and a durable call returns none", "Remove it.");
		}
		Parameter[] parameters = this.method.method().getParameters();
		for (int i = 0; i < parameters.length; i++) {
			try {
				JavaType type = this.json.type(this.method, i);
				check(parameters[i].getName(), type, this.json.reader(type), new HashSet<>());
			}
			catch (JacksonException ex) {
				refuse(parameters[i].getName(), "cannot be read: " + ex.getOriginalMessage());
			}
		}
		String[] known = new DefaultParameterNameDiscoverer().getParameterNames(this.method.method());
		List<String> names = (known != null) ? List.of(known) : List.of();
		return new DurableMethod(this.method, policy, names, key(names), schedule(policy));
	}

	private @Nullable OneRowSchedule schedule(EffectivePolicy policy) {
		EffectiveValue text = policy.values().get(PolicyKey.SCHEDULE);
		EffectiveValue zone = policy.values().get(PolicyKey.SCHEDULE_ZONE);
		if (text == null) {
			return null;
		}
		String what = "schedule (" + text.value() + ")";
		if (this.method.method().getParameterCount() > 0) {
			report(what, "calls " + this.method.signature() + ", which needs arguments", "Remove the parameters.");
		}
		if (!this.method.attribute(Backoff::key).isEmpty()) {
			report(what, "is beside a key, and a slot has its own", "Remove one of the two.");
		}
		try {
			return new OneRowSchedule(text.value(), (zone != null) ? zone.value() : null);
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
					"Give the annotation a name, such as @Backoff(\"" + AnnotatedMethod.name(this.method.method())
							+ "\").");
		}
		else if (name.length() > LONGEST_NAME) {
			report(value, "must have at most " + LONGEST_NAME + " characters for a durable policy", "Shorten it.");
		}
		else if (name.matches(".*['/\\\\].*")) {
			report(value, "must not contain a quote, a slash or a backslash for a durable policy",
					"Use letters, digits and hyphens.");
		}
	}

	/* A subtype that is stored by name is read at the submission. */
	private void check(String place, JavaType type, ValueDeserializer<?> reader, Set<JavaType> seen) {
		String reason = refused(type.getRawClass(), reader, this.json.isTyped(type));
		if (reason != null) {
			refuse(place, reason);
		}
		else if (seen.add(type)) {
			Stream.of(type.getKeyType(), type.getContentType())
				.filter((part) -> part != null && !part.hasHandlers())
				.forEach((part) -> check(place, part, this.json.reader(part), seen));
			if (reader instanceof BeanDeserializerBase bean) {
				Set<String> written = this.json.written(type);
				bean.properties().forEachRemaining((property) -> check(place, property, written, seen));
			}
		}
	}

	private void check(String type, SettableBeanProperty property, @Nullable Set<String> written, Set<JavaType> seen) {
		String place = type + "." + property.getName();
		if (property.isIgnorable() || property instanceof ObjectIdValueProperty
				|| property.getAnnotation(JsonBackReference.class) != null) {
			return;
		}
		if (written != null && !written.contains(property.getName())) {
			refuse(place, "is read and never written");
		}
		else if (!property.hasValueTypeDeserializer()) {
			check(place, property.getType(), property.getValueDeserializer(), seen);
		}
	}

	private void refuse(String place, String reason) {
		report("durable (true)", "stores the arguments as JSON, and the parameter " + place + " of "
				+ this.method.signature() + " " + reason, "Pass its id, or a value of simple types.");
	}

	/* Why values of a type never come back as they were written, or null. */
	private static @Nullable String refused(Class<?> type, ValueDeserializer<?> reader, boolean typed) {
		String name = type.getName();
		boolean open = reader instanceof AbstractDeserializer && !typed;
		if (UNCERTAIN.contains(type) && !typed && reader.getClass().getName().startsWith("tools.jackson.")) {
			return "is of no certain type";
		}
		boolean alive = name.startsWith("java.") && (open || reader instanceof BeanDeserializerBase);
		boolean foreign = !type.isEnum() && REFUSED_PACKAGES.stream().anyMatch(name::startsWith);
		if (alive || foreign || Closeable.class.isAssignableFrom(type)) {
			return "is a " + type.getSimpleName() + ", which JSON does not hold whole";
		}
		if (Stream.of(type.getAnnotations())
			.anyMatch((annotation) -> REFUSED_ANNOTATIONS.contains(annotation.annotationType().getName()))) {
			return "is the entity " + type.getSimpleName() + ", of which the attempt would see an old state";
		}
		return open ? "is of the abstract type " + type.getSimpleName() + ", and no type is stored" : null;
	}

	private @Nullable Expression key(List<String> names) {
		String text = this.method.attribute(Backoff::key);
		if (text.isEmpty()) {
			return null;
		}
		try {
			SpelExpression expression = new SpelExpressionParser().parseRaw(text);
			checkNames(expression.getAST(), names, true);
			return expression;
		}
		catch (ExpressionException | IllegalStateException | StackOverflowError ex) {
			report("key (" + text + ")", "is no expression", "Write one over the parameters, such as #order.");
			return null;
		}
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

	void report(String what, String rule, String fix) {
		this.problems.add(Problem.ofPlace(this.method.place() + ": invalid " + what, rule, fix));
	}

}
