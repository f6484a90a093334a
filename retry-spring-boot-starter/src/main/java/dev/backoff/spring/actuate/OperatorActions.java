package dev.backoff.spring.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import dev.backoff.WaitingCalls;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.RetryBudget;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.live.ValueChange;
import dev.backoff.spring.policy.EffectivePolicy.Value;
import dev.backoff.spring.policy.Overrides;
import dev.backoff.spring.policy.PolicyUses;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.time.DurationText;

/**
 * The changes that an operator can make while the application runs. An invalid one throws
 * a report and changes nothing.
 */
record OperatorActions(LiveConfiguration live, PolicyUses uses, OverloadSafety safety, WaitingCalls waiting) {

	private static final String OPERATOR = "operator";

	static final String FOR = "for";

	/* A name that needs no brackets in any source. */
	private static final Pattern PLAIN = Pattern.compile("[a-z0-9-]+");

	private static final String RETRIES_ENABLED = "retries-enabled";

	ChangeDescriptor override(String policy, Written written) {
		Duration limit = written.takeLimit(FOR);
		Map<String, String> values = written.rest();
		List<ValueChange> changes = this.live.override(policy, values, limit);
		String place = "backoff.policies"
				+ (PLAIN.matcher(policy).matches() ? "." + policy : "[" + escaped(policy) + "]");
		Map<String, String> lines = new TreeMap<>();
		for (ValueChange change : changes) {
			if (change.subject().equals("policy " + policy) && change.now() != null && isAdapted(change.now())) {
				// in a configuration the value before would contradict the new ones
				lines.put(change.key(), change.now().text());
			}
		}
		Overrides.read(policy, values).forEach((key, text) -> lines.put(key.key(), text));
		return changed(limit, changes,
				lines.entrySet().stream().map((line) -> place + "." + line.getKey() + "=" + line.getValue()).toList(),
				advice(policy));
	}

	private static boolean isAdapted(Value value) {
		return value.origin().startsWith("raised to") || value.origin().startsWith("lowered to");
	}

	private List<String> advice(String policy) {
		return this.uses.uses()
			.stream()
			.filter((use) -> use.policy().name().equals(policy))
			.flatMap((use) -> use.advice().stream().map((advice) -> use.method() + ": " + advice))
			.toList();
	}

	/* Escape a key of a properties file. */
	private static String escaped(String name) {
		return name.replaceAll("([\\\\:=#! ])", "\\\\$1");
	}

	ChangeDescriptor overrideAll(Written written) {
		Duration limit = written.takeLimit(FOR);
		Boolean enabled = written.takeSwitch(RETRIES_ENABLED);
		written.refuseRest(RETRIES_ENABLED + " and " + FOR + ", or the name of a policy in the path");
		if (enabled == null) {
			throw Written.refusal("What is written", "says nothing of " + RETRIES_ENABLED,
					"Write {\"" + RETRIES_ENABLED + "\": false}.");
		}
		return changed(limit, this.live.overrideRetriesEnabled(enabled, limit),
				List.of("backoff." + RETRIES_ENABLED + "=" + enabled), List.of());
	}

	ChangeDescriptor reset(@Nullable String policy) {
		List<ValueChange> changes = (policy != null) ? this.live.reset(policy) : this.live.reset();
		return new ChangeDescriptor("this process, by its configuration again", describe(changes), List.of(),
				List.of());
	}

	WaitersDescriptor wake(String policy, Written written) {
		Duration over = written.takeLimit("over");
		written.refuseRest("over, a time to spread them over");
		int calls = this.waiting.wake(policy, (over != null) ? over : Duration.ZERO);
		this.live.operated("Woke " + calls + " waiting calls of policy " + policy
				+ ((over != null) ? " over " + DurationText.exact(over) : ""));
		return new WaitersDescriptor(policy, calls);
	}

	WaitersDescriptor stop(String policy, Written written) {
		written.refuseRest("nothing");
		int calls = this.waiting.stop(policy);
		this.live.operated("Stopped " + calls + " waiting calls of policy " + policy);
		return new WaitersDescriptor(policy, calls);
	}

	/** Put a breaker into a state, or return null if there is none of that name. */
	@Nullable ChangeDescriptor breaker(String name, Written written) {
		CircuitBreaker breaker = this.safety.breakers().find(name).orElse(null);
		if (breaker == null) {
			return null;
		}
		String state = written.take("state");
		written.refuseRest("state");
		String before = breaker.state().tag();
		moveTo(breaker, (state != null) ? state : "");
		return operated("breaker " + breaker.name(), "state", before, breaker.state().tag());
	}

	private static void moveTo(CircuitBreaker breaker, String state) {
		switch (state.strip().toLowerCase(Locale.ROOT).replace('-', '_')) {
			case "closed" -> breaker.reset();
			case "open" -> breaker.open();
			case "forced_open" -> breaker.forceOpen();
			case "disabled" -> breaker.disable();
			case "metrics_only" -> breaker.metricsOnly();
			default -> throw Written.refusal(
					"Invalid state (" + Overrides.oneLine(state) + ") of breaker " + breaker.name(),
					"is none that it can be put into", "Write closed, open, forced-open, disabled or metrics-only.");
		}
	}

	/** Fill a budget, or return null if there is none of that name. */
	@Nullable ChangeDescriptor budget(String name, Written written) {
		RetryBudget budget = this.safety.budgets().find(name).orElse(null);
		if (budget == null) {
			return null;
		}
		Boolean reset = written.takeSwitch("reset");
		written.refuseRest("reset");
		if (!Boolean.TRUE.equals(reset)) {
			throw Written.refusal("Budget " + budget.name(), "can only be filled", "Write {\"reset\": true}.");
		}
		String before = tokens(budget);
		budget.reset();
		return operated("budget " + budget.name(), "balance", before, tokens(budget));
	}

	private static String tokens(RetryBudget budget) {
		return String.format(Locale.ROOT, "%.1f", budget.balance());
	}

	private ChangeDescriptor operated(String subject, String key, String before, String now) {
		ValueChange change = new ValueChange(subject, key, new Value(before, "now"), new Value(now, OPERATOR));
		this.live.operated(change.toString());
		return new ChangeDescriptor("this process only, as long as it runs", describe(List.of(change)), List.of(),
				List.of());
	}

	private static ChangeDescriptor changed(@Nullable Duration limit, List<ValueChange> changes,
			List<String> configuration, List<String> advice) {
		String end = (limit != null) ? "for " + DurationText.exact(limit) + " at most" : "until it is reset";
		return new ChangeDescriptor("this process only, " + end + ", and gone after a restart", describe(changes),
				configuration, advice);
	}

	private static List<ValueChangeDescriptor> describe(List<ValueChange> changes) {
		return changes.stream()
			.map((change) -> new ValueChangeDescriptor(change.subject(), change.key(),
					ValueDescriptor.of(change.before()), ValueDescriptor.of(change.now())))
			.toList();
	}

	/** A change, and the lines of configuration that make it last in all processes. */
	record ChangeDescriptor(String scope, List<ValueChangeDescriptor> changes, List<String> configuration,
			List<String> advice) implements OperationResponseBody {
	}

	/** A value before and now, each null if there is none. */
	record ValueChangeDescriptor(String subject, String key, @Nullable ValueDescriptor before,
			@Nullable ValueDescriptor now) {
	}

	/** The number of waiting calls that were woken or stopped. */
	record WaitersDescriptor(String policy, int calls) implements OperationResponseBody {
	}

}
