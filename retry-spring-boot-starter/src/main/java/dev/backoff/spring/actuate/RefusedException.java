package dev.backoff.spring.actuate;

import org.jspecify.annotations.Nullable;

/** A request that is refused with a status and a body, which is its message over JMX. */
final class RefusedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final int status;

	private final transient @Nullable Object body;

	RefusedException(int status, @Nullable Object body) {
		super(String.valueOf(body));
		this.status = status;
		this.body = body;
	}

	int status() {
		return this.status;
	}

	@Nullable Object body() {
		return this.body;
	}

}
