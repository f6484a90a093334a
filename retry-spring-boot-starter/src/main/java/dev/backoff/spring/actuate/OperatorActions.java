package dev.backoff.spring.actuate;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import dev.backoff.CallRegistry;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.RetryBudget;
import dev.backoff.pace.Pace;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.Level;
import dev.backoff.spring.configuration.Level.Kind;
import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.live.ValueChange;
import dev.backoff.spring.policy.PolicyUses;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/** The changes of an operator. An invalid one throws a report and changes nothing. */
record OperatorActions(LiveConfiguration live, PolicyUses uses, CallRegistry calls) {

	static final String FOR = "for";

	private static final String KEY = "key";

	private static final String RETRIES_ENABLED = "retries-enabled";

	ChangeDescriptor override(String policy, OperatorInput input) {
		Duration limit = input.limit(FOR);
		Map<String, String> values = input.textsWithout(FOR);
		Map<Key<?>, String> written = Overrides.read(policy, values);
		String undo = undo("/" + encoded(policy), policy, written);
		List<ValueChange> changes = this.live.override(policy, values, limit);
		// brackets for any source, backslashes for a properties file
		String place = "backoff.policies" + (policy.matches("[a-z0-9-]+") ? "." + policy
				: "[" + policy.replaceAll("([\\\\:=#! ])", "\\\\$1") + "]");
		Map<String, String> lines = new TreeMap<>();
		for (ValueChange change : changes) {
			EffectiveValue now = change.now();
			if (now != null && change.subject().equals("policy " + policy) && now.level().kind() == Kind.ADJUSTED) {
				// in a configuration the value before would contradict the new ones
				lines.put(change.key(), now.value());
			}
		}
		written.forEach((key, text) -> lines.put(key.key(), text));
		return overridden(end(limit, policy, written.keySet().iterator().next()), changes,
				lines.entrySet().stream().map((line) -> place + "." + line.getKey() + "=" + line.getValue()).toList(),
				advice(policy), undo);
	}

	/* Ends the overrides, then sets again those that they replace. */
	private String undo(String path, String policy, Map<Key<?>, String> written) {
		Map<String, String> keys = new TreeMap<>();
		written.forEach((key, text) -> keys.put(policy.equals(Overrides.ALL) ? RETRIES_ENABLED : key.key(),
				this.live.overridden(policy, key)));
		StringBuilder undo = new StringBuilder(
				"curl -X DELETE \"$A" + path + "?key=" + String.join("&key=", keys.keySet()) + "\"");
		keys.forEach((key, before) -> undo
			.append(before.isEmpty() ? "" : " && curl $A" + path + " --json '{\"" + key + "\": " + before + "}'"));
		return undo.toString();
	}

	private List<String> advice(String policy) {
		return this.uses.uses()
			.stream()
			.filter((use) -> use.policy().name().equals(policy))
			.flatMap((use) -> use.advice().stream().map((advice) -> use.method() + ": " + advice))
			.toList();
	}

	ChangeDescriptor overrideAll(OperatorInput input) {
		Duration limit = input.limit(FOR);
		Boolean enabled = input.flag(RETRIES_ENABLED);
		input.refuseOthers(RETRIES_ENABLED + " and " + FOR + ", or the name of a policy in the path", RETRIES_ENABLED,
				FOR);
		if (enabled == null) {
			throw OperatorInput.refusal("What is written", "says nothing of " + RETRIES_ENABLED,
					"Write {\"" + RETRIES_ENABLED + "\": false}.");
		}
		String undo = undo("", Overrides.ALL, Map.of(PolicyKey.ENABLED, ""));
		List<ValueChange> changes = this.live.overrideRetriesEnabled(enabled, limit);
		return overridden(end(limit, Overrides.ALL, PolicyKey.ENABLED), changes,
				List.of("backoff." + RETRIES_ENABLED + "=" + enabled), List.of(), undo);
	}

	private static String encoded(String name) {
		return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
	}

	/** End one override, all of a policy, or all. */
	ChangeDescriptor reset(@Nullable String policy, OperatorInput input) {
		String[] keys = input.texts(KEY);
		input.refuseOthers("?key= and a key, which may be repeated, or nothing to end all", KEY);
		for (String key : keys) {
			if (policy == null && !OperatorInput.isKey(key, RETRIES_ENABLED)) {
				throw OperatorInput.refusal("Invalid key (" + Problem.oneLine(key) + ")", "is not known here",
						"Write ?key=" + RETRIES_ENABLED + ", or the name of a policy in the path.");
			}
		}
		List<ValueChange> changes = (policy != null) ? this.live.reset(policy, keys)
				: (keys.length > 0) ? this.live.resetRetriesEnabled() : this.live.reset();
		return new ChangeDescriptor("this process, by its configuration again", changes, List.of(), List.of(), null);
	}

	WaitersDescriptor wake(String policy, OperatorInput input) {
		input.refuseOthers("nothing");
		int woken = this.calls.wake(policy);
		this.live.operated("Woke " + woken + " waiting calls of policy " + policy);
		return new WaitersDescriptor(policy, woken);
	}

	/** Put a breaker into a state. */
	ChangeDescriptor breaker(CircuitBreaker breaker, OperatorInput input) {
		String state = Objects.toString(input.text("state"), "").strip().toLowerCase(Locale.ROOT).replace('-', '_');
		Duration limit = Objects.requireNonNullElse(input.limit(FOR), Duration.ZERO);
		input.refuseOthers("state and for", "state", FOR);
		String before = breaker.state().tag();
		moveTo(breaker, state, limit);
		String undo = "curl $A/breakers/" + encoded(breaker.name()) + " --json '{\"state\": \"closed\"}'";
		return operated("breaker " + breaker.name(), "state", before, breaker.state().tag(), limit,
				state.equals("closed") ? null : undo);
	}

	private static void moveTo(CircuitBreaker breaker, String state, Duration limit) {
		switch (state + (limit.isZero() ? "" : " for")) {
			case "closed" -> breaker.reset();
			case "open" -> breaker.open();
			case "forced_open" -> breaker.forceOpen();
			case "forced_open for" -> breaker.openFor(limit);
			case "disabled" -> breaker.disable();
			case "disabled for" -> breaker.disableFor(limit);
			default -> throw OperatorInput.refusal(
					"Invalid state (" + Problem.oneLine(state) + ") of breaker " + breaker.name(),
					"is none that it can be put into" + (limit.isZero() ? "" : " for a time"),
					"Write closed, open, forced-open or disabled; the last two may have a time, for.");
		}
	}

	/** Fill a budget. */
	ChangeDescriptor budget(RetryBudget budget, OperatorInput input) {
		requireFlag(input, "reset", "Budget " + budget.name(), "can only be filled");
		String before = tokens(budget);
		budget.reset();
		return operated("budget " + budget.name(), "balance", before, tokens(budget), Duration.ZERO, null);
	}

	/** End the hold of a pace, which keeps its rate. */
	ChangeDescriptor pace(Pace pace, OperatorInput input) {
		requireFlag(input, "release", "Pace " + pace.name(), "can only be released");
		String before = DurationText.rounded(Nanos.of(pace.status().held()));
		pace.release();
		return operated("pace " + pace.name(), "hold", before, "0ms", Duration.ZERO, null);
	}

	private static void requireFlag(OperatorInput input, String key, String subject, String rule) {
		boolean set = Boolean.TRUE.equals(input.flag(key));
		input.refuseOthers(key, key);
		if (!set) {
			throw OperatorInput.refusal(subject, rule, "Write {\"" + key + "\": true}.");
		}
	}

	private static String tokens(RetryBudget budget) {
		return String.format(Locale.ROOT, "%.1f", budget.balance());
	}

	private String end(@Nullable Duration limit, String policy, Key<?> key) {
		return (limit != null && !limit.isZero()) ? "for " + DurationText.exact(limit) + " at most"
				: this.live.until(policy, key).map((end) -> "until " + end + ", as before").orElse("until it is reset");
	}

	private static ChangeDescriptor overridden(String end, List<ValueChange> changes, List<String> configuration,
			List<String> advice, String undo) {
		return new ChangeDescriptor("this process only, " + end + ", and gone after a restart", changes, configuration,
				advice, undo);
	}

	private ChangeDescriptor operated(String subject, String key, String before, String now, Duration limit,
			@Nullable String undo) {
		ValueChange change = new ValueChange(subject, key, new EffectiveValue(before, Level.OVERRIDE, "now"),
				new EffectiveValue(now, Level.OVERRIDE, "operator"));
		this.live.operated(change.toString());
		String end = limit.isZero() ? "as long as it runs" : "for " + DurationText.exact(limit) + " at most";
		return new ChangeDescriptor("this process only, " + end, List.of(change), List.of(), List.of(), undo);
	}

	/** A change, its configuration for all processes, and the command to undo it. */
	record ChangeDescriptor(String scope, List<ValueChange> changes, List<String> configuration, List<String> advice,
			@Nullable String undo) implements OperationResponseBody {
	}

	/** The number of waiting calls that were woken. */
	record WaitersDescriptor(String policy, int calls) implements OperationResponseBody {
	}

}
