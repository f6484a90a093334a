package dev.backoff.spring.actuate;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.key.KeyTable;
import dev.backoff.spring.configuration.SettingKey;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.safety.OverloadSafety;

/** The worst keys of a policy's breaker, named only where messages are shown. */
@RegisterReflectionForBinding(KeysPart.KeysDescriptor.class)
record KeysPart(BackoffPolicies policies, OverloadSafety safety) implements EndpointContributor {

	@Override
	public String name() {
		return "keys";
	}

	@Override
	public Object read(EffectivePolicy policy, Map<String, String> parameters) {
		boolean named = this.policies.configuration().get(SettingKey.ENDPOINT_MESSAGES);
		Map<Object, CircuitBreaker> keys = Optional.ofNullable(policy.breaker())
			.flatMap(this.safety.breakers()::find)
			.map(CircuitBreaker::keys)
			.map(KeyTable::values)
			.orElse(Map.of());
		// described before they are compared, since they change
		return new KeysDescriptor(keys.size(),
				keys.entrySet()
					.stream()
					.map((key) -> new KeyDescriptor(named ? key.getKey().toString() : null,
							key.getValue().state().tag(), key.getValue().counts().failed()))
					.sorted(Comparator.comparing((KeyDescriptor key) -> key.state.equals(BreakerState.CLOSED.tag()))
						.thenComparing((key) -> -key.failed))
					.limit(20)
					.toList());
	}

	record KeysDescriptor(int keys, List<KeyDescriptor> worst) implements OperationResponseBody {
	}

	record KeyDescriptor(@Nullable String key, String state, long failed) {
	}

}
