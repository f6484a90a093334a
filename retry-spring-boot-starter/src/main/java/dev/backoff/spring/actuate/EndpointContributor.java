package dev.backoff.spring.actuate;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.policy.EffectivePolicy;

/**
 * A part of the endpoint for each policy, at {@code /actuator/backoff/<policy>/<name>}: a
 * bean type for other modules. What a part returns is the body of the answer, or a
 * {@code WebEndpointResponse}. Implementations are thread-safe.
 *
 * @since 0.1
 */
public interface EndpointContributor {

	/** Return the name in the path, which no other part has. */
	String name();

	/** Answer a GET; an {@link InvalidBackoffException} is answered with 400. */
	Object read(EffectivePolicy policy, Map<String, String> parameters);

	/** Return whether a POST is answered; otherwise it is refused with 405. */
	default boolean isWritable() {
		return false;
	}

	/** Answer a POST, which needs {@code access: unrestricted}, likewise. */
	default Object write(EffectivePolicy policy, Map<String, @Nullable Object> body) {
		throw new UnsupportedOperationException(name() + " is only read");
	}

}
