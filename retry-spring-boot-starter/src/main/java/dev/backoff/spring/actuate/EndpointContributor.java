package dev.backoff.spring.actuate;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.policy.EffectivePolicy;

/**
 * A part of the endpoint for each policy, at {@code /actuator/backoff/<policy>/<name>}.
 * Other modules define beans of this type. A part returns the body of the answer or a
 * {@code WebEndpointResponse}. Implementations are thread-safe.
 *
 * @since 0.1
 */
public interface EndpointContributor {

	/** Return the name in the path, which must be unique. */
	String name();

	/** Answer a GET. An {@link InvalidBackoffException} becomes an answer 400. */
	Object read(EffectivePolicy policy, Map<String, String> parameters);

	/** Return whether a POST is answered; otherwise it is refused with 405. */
	default boolean isWritable() {
		return false;
	}

	/** Answer a POST in the same way. It needs {@code access: unrestricted}. */
	default Object write(EffectivePolicy policy, Map<String, @Nullable Object> body) {
		throw new UnsupportedOperationException(name() + " is only read");
	}

}
