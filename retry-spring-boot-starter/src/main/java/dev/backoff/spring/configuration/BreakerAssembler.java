package dev.backoff.spring.configuration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.spring.configuration.BackoffProperties.BreakerProvider;
import dev.backoff.time.DurationText;
import dev.backoff.window.WindowLength;

/** Make one breaker of the values below its name, and report those that cannot work. */
final class BreakerAssembler {

	/* With the numbers that are built in, for breakers that are not defined. */
	static final BreakerEntry BUILT_IN = assemble(new Section.Entry<BreakerKey>("", Map.of()), new ArrayList<>());

	private final Map<BreakerKey, ConfigValue> written;

	private final List<Problem> problems;

	private final Map<BreakerKey, EffectiveValue> effective = new EnumMap<>(BreakerKey.class);

	private BreakerAssembler(Map<BreakerKey, ConfigValue> written, List<Problem> problems) {
		this.written = written;
		this.problems = problems;
	}

	/** Return the breaker; values that cannot work are reported and left out. */
	static BreakerEntry assemble(Section.Entry<BreakerKey> entry, List<Problem> problems) {
		BreakerAssembler assembler = new BreakerAssembler(entry.values(), problems);
		BreakerProvider provider = ConfigValue.read(entry.values(), BreakerKey.PROVIDER);
		BreakerSettings settings = (provider == BreakerProvider.OWN) ? assembler.own() : assembler.ofOther();
		return new BreakerEntry(entry.name(), settings, provider, Collections.unmodifiableMap(assembler.effective));
	}

	private BreakerSettings ofOther() {
		this.written.forEach((key, value) -> {
			if (key != BreakerKey.PROVIDER && key != BreakerKey.ON_OPEN) {
				this.problems.add(value.problem("has no effect, because the provider is resilience4j ("
						+ ConfigValue.origin(this.written, BreakerKey.PROVIDER) + "), whose own configuration rules it",
						"Remove it, and configure the breaker of that name there."));
			}
		});
		BreakerSettings.Builder builder = BreakerSettings.builder();
		set(BreakerKey.PROVIDER, builder);
		set(BreakerKey.ON_OPEN, builder);
		return builder.build();
	}

	private BreakerSettings own() {
		BreakerSettings.Builder builder = BreakerSettings.builder();
		for (BreakerKey key : BreakerKey.values()) {
			set(key, builder);
		}
		this.effective.putIfAbsent(BreakerKey.HALF_OPEN_TIMEOUT, EffectiveValue
			.builtIn(DurationText.exact(ConfigValue.<Duration>read(this.written, BreakerKey.OPEN_FOR))));
		checkSlowCallRate();
		int minimum = ConfigValue.<Integer>read(this.written, BreakerKey.MINIMUM_CALLS);
		WindowLength window = ConfigValue.read(this.written, BreakerKey.WINDOW);
		ConfigValue written = this.written.get(BreakerKey.WINDOW);
		if (written != null && window.time() == null && window.calls() < minimum) {
			this.problems.add(written.problem("must not be below minimum-calls (" + minimum + "), or it never opens",
					"Raise it, or lower minimum-calls (" + ConfigValue.origin(this.written, BreakerKey.MINIMUM_CALLS)
							+ ")."));
			builder.window(WindowLength.ofCalls(minimum));
		}
		return builder.build();
	}

	/* The share may stay where slow-call: none switches slow calls off. */
	private void checkSlowCallRate() {
		ConfigValue rate = this.written.get(BreakerKey.SLOW_CALL_RATE);
		if (rate != null && rate.problems().isEmpty() && !this.written.containsKey(BreakerKey.SLOW_CALL)) {
			this.problems.add(rate.problem("has no effect without slow-call",
					"Add slow-call, what a call must exceed to be slow, such as 2s, or remove it."));
		}
	}

	/** Put a value into effect; one that cannot be read is reported. */
	private void set(BreakerKey key, BreakerSettings.Builder builder) {
		ConfigValue value = this.written.get(key);
		String builtIn = key.builtInText();
		if (value != null) {
			this.problems.addAll(value.problems());
			this.effective.put(key, value.shown());
		}
		else if (builtIn != null) {
			this.effective.put(key, EffectiveValue.builtIn(builtIn));
		}
		Object read = (value != null) ? value.parsed() : null;
		BiConsumer<BreakerSettings.Builder, Object> setter = key.setter();
		if (read != null && setter != null) {
			setter.accept(builder, read);
		}
	}

}
