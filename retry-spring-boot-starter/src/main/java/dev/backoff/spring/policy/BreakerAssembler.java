package dev.backoff.spring.policy;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.spring.policy.BackoffProperties.BreakerProvider;
import dev.backoff.spring.policy.BackoffProperties.OnOpen;
import dev.backoff.time.DurationText;
import dev.backoff.window.WindowLength;

/** Make one breaker of the values below its name, or say which of them cannot work. */
final class BreakerAssembler {

	private final EntryValues<BreakerKey> values;

	private final List<Problem> problems;

	private BreakerAssembler(EntryValues<BreakerKey> values, List<Problem> problems) {
		this.values = values;
		this.problems = problems;
	}

	/** Return the breaker; values that cannot work are reported and left out. */
	static BreakerEntry assemble(String name, boolean spelled, Map<BreakerKey, ConfigValue> written,
			List<Problem> problems) {
		EntryValues<BreakerKey> values = new EntryValues<>(BreakerKey.class, written, problems);
		BreakerProvider provider = values.read(BreakerKey.PROVIDER,
				(text) -> TextValues.word(BreakerProvider.class, text), BreakerProvider.OWN, "own");
		BreakerAssembler assembler = new BreakerAssembler(values, problems);
		BreakerSettings settings = (provider == BreakerProvider.OWN) ? assembler.own() : assembler.ofOther();
		return new BreakerEntry(name, spelled, settings, provider, values.effective());
	}

	private BreakerSettings ofOther() {
		for (BreakerKey key : BreakerKey.values()) {
			ConfigValue written = this.values.written(key);
			if (written != null && key != BreakerKey.PROVIDER && key != BreakerKey.ON_OPEN) {
				this.problems.add(written.problem(
						"has no effect, because the provider is resilience4j ("
								+ this.values.origin(BreakerKey.PROVIDER) + "), whose own configuration rules it",
						"Remove it, and configure the breaker of that name there."));
			}
		}
		return BreakerSettings.builder().awaited(awaited()).build();
	}

	private BreakerSettings own() {
		BreakerSettings defaults = BreakerSettings.DEFAULTS;
		BreakerSettings.Builder builder = BreakerSettings.builder();
		builder.failureRate(
				this.values.read(BreakerKey.FAILURE_RATE, OverloadValues::share, defaults.failureRate(), "50%"));
		Duration slowCall = this.values.read(BreakerKey.SLOW_CALL, OverloadValues::timeOrNone, Duration.ZERO, "none");
		builder.slowCall(slowCall.isZero() ? null : slowCall);
		builder.slowCallRate(slowCallRate(defaults.slowCallRate()));
		WindowLength window = this.values.read(BreakerKey.WINDOW, OverloadValues::window, defaults.window(),
				defaults.window().toString());
		int minimum = this.values.read(BreakerKey.MINIMUM_CALLS, OverloadValues::wholeNumber, defaults.minimumCalls(),
				Integer.toString(defaults.minimumCalls()));
		builder.minimumCalls(minimum).window(atLeast(minimum, window));
		Duration openFor = this.values.read(BreakerKey.OPEN_FOR, OverloadValues::time, defaults.openFor(),
				DurationText.exact(defaults.openFor()));
		builder.openFor(openFor);
		builder.openForMultiplier(this.values.read(BreakerKey.OPEN_FOR_MULTIPLIER, OverloadValues::growth,
				defaults.openForMultiplier(), "1"));
		builder.probes(this.values.read(BreakerKey.PROBES, OverloadValues::wholeNumber, defaults.probes(),
				Integer.toString(defaults.probes())));
		builder.halfOpenTimeout(this.values.read(BreakerKey.HALF_OPEN_TIMEOUT, OverloadValues::time, openFor,
				DurationText.exact(openFor)));
		return builder.awaited(awaited()).build();
	}

	/* Whoever switches slow calls off with none may leave their share where it is. */
	private double slowCallRate(double otherwise) {
		int before = this.problems.size();
		double rate = this.values.read(BreakerKey.SLOW_CALL_RATE, OverloadValues::share, otherwise, "80%");
		ConfigValue written = this.values.written(BreakerKey.SLOW_CALL_RATE);
		if (written != null && this.values.written(BreakerKey.SLOW_CALL) == null && this.problems.size() == before) {
			this.problems.add(written.problem("has no effect without slow-call",
					"Add slow-call, what a call must exceed to be slow, such as 2s, or remove it."));
		}
		return rate;
	}

	private boolean awaited() {
		return this.values.read(BreakerKey.ON_OPEN, (text) -> TextValues.word(OnOpen.class, text), OnOpen.FAIL,
				"fail") == OnOpen.WAIT;
	}

	/* A window that never holds as many calls never opens. */
	private WindowLength atLeast(int minimum, WindowLength window) {
		ConfigValue written = this.values.written(BreakerKey.WINDOW);
		if (written == null || window.time() != null || window.calls() >= minimum) {
			return window;
		}
		this.problems.add(written.problem("must not be below minimum-calls (" + minimum + "), or it never opens",
				"Raise it, or lower minimum-calls (" + this.values.origin(BreakerKey.MINIMUM_CALLS) + ")."));
		return WindowLength.ofCalls(minimum);
	}

}
