package dev.backoff.spring.advice;

import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import dev.backoff.Operation;
import dev.backoff.Recovery;
import dev.backoff.Retry;
import dev.backoff.spring.reactive.ObservationCarrier;

/** Call a method that gives its result later. Thread-safe. */
@FunctionalInterface
interface LaterCalls {

	/** Return what the caller receives in place of the method's own future or publisher. */
	@Nullable Object call(MethodInvocation invocation) throws Throwable;

	/** The parts of such calls. */
	record Parts(Retry retry, Operation.OnContext<MethodInvocation, @Nullable Object, Throwable> attempt,
			@Nullable Recovery<MethodInvocation, @Nullable Object, Throwable> recovery, BooleanSupplier replayed,
			Supplier<? extends Executor> executor, @Nullable ObservationCarrier observations) {
	}

}
