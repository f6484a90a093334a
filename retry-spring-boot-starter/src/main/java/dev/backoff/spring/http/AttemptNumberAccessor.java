package dev.backoff.spring.http;

import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Carry the attempt's number of an inbound request into the logs of other threads, by
 * Micrometer's context-propagation, which finds this class as a service. Thread-safe.
 *
 * @since 0.1
 */
public final class AttemptNumberAccessor implements ThreadLocalAccessor<String> {

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
