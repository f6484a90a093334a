package dev.backoff.spring.actuate;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.key.KeyTable;
import dev.backoff.pace.Pace;
import dev.backoff.spring.configuration.SettingKey;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.safety.OverloadSafety;

/** The worst keys of a policy, named only where messages are shown. */
@RegisterReflectionForBinding(KeysPart.KeysDescriptor.class)
record KeysPart(BackoffPolicies policies, OverloadSafety safety) implements EndpointContributor {

	@Override
	public String name() {
		return "keys";
	}

	@Override
	public Object read(EffectivePolicy policy, Map<String, String> parameters) {
		boolean named = this.policies.configuration().get(SettingKey.ENDPOINT_MESSAGES);
		Map<Object, CircuitBreaker> breakers = Optional.ofNullable(policy.breaker())
			.flatMap(this.safety.breakers()::find)
			.map(CircuitBreaker::keys)
			.map(KeyTable::values)
			.orElse(Map.of());
		Map<Object, Pace> paces = Optional.ofNullable(this.safety.paces().of(policy.name()))
			.map(Pace::keys)
			.map(KeyTable::values)
			.orElse(Map.of());
		Set<Object> keys = new HashSet<>(breakers.keySet());
		keys.addAll(paces.keySet());
		// described before they are compared, since they change
		return new KeysDescriptor(keys.size(),
				keys.stream()
					.map((key) -> KeyDescriptor.of(named ? key.toString() : null, breakers.get(key), paces.get(key)))
					.sorted(Comparator.comparing((KeyDescriptor key) -> key.state.equals(BreakerState.CLOSED.tag()))
						.thenComparing((key) -> -key.holdMs)
						.thenComparing((key) -> -key.waiting)
						.thenComparing((key) -> -key.failed))
					.limit(20)
					.toList());
	}

	record KeysDescriptor(int keys, List<KeyDescriptor> worst) implements OperationResponseBody {
	}

	/** What a key has of its own; without a breaker, it counts as closed. */
	record KeyDescriptor(@Nullable String key, String state, long failed, double holdMs, int waiting) {

		static KeyDescriptor of(@Nullable String key, @Nullable CircuitBreaker breaker, @Nullable Pace pace) {
			Pace.Status paced = (pace != null) ? pace.status() : null;
			return new KeyDescriptor(key, ((breaker != null) ? breaker.state() : BreakerState.CLOSED).tag(),
					(breaker != null) ? breaker.counts().failed() : 0,
					(paced != null) ? ActivityDescriptions.millis(paced.held()) : 0,
					(paced != null) ? paced.waiting() : 0);
		}

	}

}
