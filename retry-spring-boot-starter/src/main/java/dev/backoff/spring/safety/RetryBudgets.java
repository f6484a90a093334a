package dev.backoff.spring.safety;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.backoff.budget.RetryBudget;
import dev.backoff.spring.configuration.Name;

/**
 * The budgets by name, each created at its first use. Thread-safe.
 *
 * @since 0.1
 */
public final class RetryBudgets {

	private final Consumer<RetryBudget> added;

	private final Map<Name, RetryBudget> budgets = new ConcurrentHashMap<>();

	RetryBudgets(Consumer<RetryBudget> added) {
		this.added = added;
	}

	/** Return the budget of a name, and create it at its first use. */
	RetryBudget getOrMake(String written, Supplier<RetryBudget> maker) {
		Name name = Name.of(written);
		RetryBudget known = this.budgets.get(name);
		if (known != null) {
			return known;
		}
		// without a lock, since listeners are beans
		RetryBudget made = maker.get();
		RetryBudget before = this.budgets.putIfAbsent(name, made);
		if (before != null) {
			return before;
		}
		this.added.accept(made);
		return made;
	}

	/** Return the budget of a name in any spelling, or empty if no method uses it. */
	public Optional<RetryBudget> find(String name) {
		return Optional.ofNullable(this.budgets.get(Name.of(name)));
	}

	/**
	 * Return the budget of a name in any spelling.
	 * @throws IllegalArgumentException if no method uses it
	 */
	public RetryBudget get(String name) {
		return find(name)
			.orElseThrow(() -> new IllegalArgumentException("Invalid name (" + name + "): must be " + (all().isEmpty()
					? "that of a budget in use, and there is none" : "one of " + String.join(", ", names())) + "."));
	}

	/** Return the budgets in use, ordered by name. */
	public List<RetryBudget> all() {
		return this.budgets.values().stream().sorted(Comparator.comparing(RetryBudget::name)).toList();
	}

	private List<String> names() {
		return all().stream().map(RetryBudget::name).toList();
	}

	@Override
	public String toString() {
		return "RetryBudgets " + names();
	}

}
