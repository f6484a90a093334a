package dev.backoff.durable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

import com.github.kagkarlsson.scheduler.task.Execution;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

import dev.backoff.annotation.Backoff;
import dev.backoff.durable.Store.Part;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.EffectivePolicy;

/**
 * The durable methods of the application, by the names of their policies. Immutable and
 * thread-safe; the values of a policy are those in effect when they are asked for.
 */
final class DurableMethods {

	private final BackoffMethods methods;

	private final ConfigurableListableBeanFactory beanFactory;

	private final Map<String, DurableMethod> byPolicy = new TreeMap<>();

	DurableMethods(BackoffMethods methods, ConfigurableListableBeanFactory beanFactory, CallJson json) {
		this.methods = methods;
		this.beanFactory = beanFactory;
		List<Problem> problems = new ArrayList<>();
		methods.durable().forEach((method, policy) -> add(policy, new DurableCheck(method, json, problems)));
		InvalidBackoffException.throwIfAny(problems);
	}

	private void add(EffectivePolicy policy, DurableCheck check) {
		DurableMethod known = this.byPolicy.get(policy.name());
		if (known == null) {
			this.byPolicy.put(policy.name(), check.check(policy));
			return;
		}
		check.report("value (" + policy.name() + ")",
				"is the policy of " + known.signature() + " too, and rows of a durable policy are of one method",
				"Give each durable method a policy of its own.");
	}

	/** Report a method of which it is not certain which bean has it. */
	void checkBeans() {
		List<Problem> problems = new ArrayList<>();
		for (DurableMethod method : all()) {
			Class<?> type = method.method().type();
			if (this.beanFactory.getBeanProvider(type).getIfUnique() == null) {
				problems.add(Problem.ofPlace(method.method().place() + ": invalid durable (true)",
						"needs one bean of " + type.getSimpleName() + " for its attempts, and there are "
								+ String.join(", ", this.beanFactory.getBeanNamesForType(type)),
						"Keep one of them, or make one primary."));
			}
		}
		InvalidBackoffException.throwIfAny(problems);
	}

	List<DurableMethod> all() {
		return List.copyOf(this.byPolicy.values());
	}

	@Nullable DurableMethod of(String policy) {
		return this.byPolicy.get(policy);
	}

	/** Return how many rows each task has that no method has, or a number they reach. */
	Map<String, Integer> orphans(Store store, int most) {
		return store.tasks()
			.stream()
			.filter((task) -> of(task.replaceFirst("/dead$", "")) == null)
			.collect(Collectors.toMap((task) -> task, (task) -> Math.min(most,
					store.count(Part.of(task, false), most) + store.count(Part.of(task, true), most))));
	}

	/** Return the policy in effect, durable until the next start. */
	EffectivePolicy policy(DurableMethod method) {
		EffectivePolicy policy = this.methods.policy(method.method());
		return policy.isDurable() ? policy : method.atStart();
	}

	/**
	 * A durable method.
	 *
	 * @param atStart its policy at the start of the process
	 * @param names the names of its parameters, none if they are not compiled in
	 */
	record DurableMethod(AnnotatedMethod method, EffectivePolicy atStart, List<String> names, @Nullable Expression key,
			@Nullable OneRowSchedule schedule) {

		String policy() {
			return this.atStart.name();
		}

		/** Return the schedule that a row is of, readable or not, or null. */
		@Nullable OneRowSchedule schedule(Execution row) {
			return row.taskInstance.getId().equals(OneRowSchedule.INSTANCE) ? this.schedule : null;
		}

		@Nullable String keyOf(@Nullable Object[] arguments) {
			if (this.key == null) {
				return null;
			}
			SimpleEvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding()
				.withInstanceMethods()
				.build();
			for (int i = 0; i < this.names.size(); i++) {
				context.setVariable(this.names.get(i), arguments[i]);
			}
			Object value = this.key.getValue(context,
					new Arguments(Collections.unmodifiableList(Arrays.asList(arguments))));
			Object plain = (value instanceof Enum<?> word) ? word.name() : value;
			if (plain instanceof CharSequence || plain instanceof Number || plain instanceof UUID) {
				return checkedKey(plain.toString());
			}
			throw invalid(String.valueOf(value), "must be a text, a number, an enum or a UUID");
		}

		/* MariaDB takes keys that differ in blanks at the end for the same. */
		String checkedKey(String key) {
			if (key.isBlank() || !Problem.oneLine(key, StoredCall.LONGEST_KEY).equals(key) || key.endsWith(" ")) {
				throw invalid(key,
						"must be one line of 1 to " + StoredCall.LONGEST_KEY + " plain characters and end in no blank");
			}
			return key;
		}

		private IllegalArgumentException invalid(String value, String rule) {
			return new IllegalArgumentException(
					this.method.place(Backoff::key) + ": invalid key (" + Problem.oneLine(value) + "): " + rule + ".");
		}

		String signature() {
			return this.method.signature();
		}

	}

	/** The root object of a key's expression. */
	public record Arguments(List<@Nullable Object> args) {
	}

}
