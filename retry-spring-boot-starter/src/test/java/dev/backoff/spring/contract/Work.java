package dev.backoff.spring.contract;

import org.jspecify.annotations.Nullable;

import dev.backoff.Recovery;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.fixture.ScriptedOperation;

/** What a bean's method does. */
public record Work(ScriptedOperation<@Nullable Object> operation,
		@Nullable Recovery<Object, @Nullable Object, Exception> recovery) {

	public @Nullable Object attempt() throws Exception {
		return this.operation.run();
	}

	public @Nullable Object recover(RetriesStoppedException report) throws Exception {
		if (this.recovery == null) {
			throw new IllegalStateException("nothing was to be recovered");
		}
		return this.recovery.recover(this, report);
	}

}
