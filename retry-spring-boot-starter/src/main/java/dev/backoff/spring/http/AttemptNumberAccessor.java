package dev.backoff.spring.http;

import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Let Micrometer's context-propagation carry the number of the attempt that a request
 * belongs to into the logs of other threads. Found as a service. Thread-safe.
 *
 * @since 0.1
 */
public final class AttemptNumberAccessor implements ThreadLocalAccessor<String> {

	/** Create the accessor. */
	public AttemptNumberAccessor() {
	}

	@Override
	public Object key() {
		return InboundCall.ATTEMPT;
	}

	@Override
	public @Nullable String getValue() {
		return MDC.get(InboundCall.ATTEMPT);
	}

	@Override
	public void setValue(String value) {
		InboundCall.restore(value);
	}

	@Override
	public void setValue() {
		InboundCall.restore(null);
	}

}
