package dev.backoff.spring.aspectj;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * The application contexts in mode {@code aspectj} that are open in this process. Without
 * one, woven methods are plain methods. A context that closes leaves nothing here.
 * Thread-safe.
 */
final class ActiveContexts {

	private static final WovenBeans[] NONE = {};

	/* In the order they were opened. */
	private static final AtomicReference<WovenBeans[]> ACTIVE = new AtomicReference<>(NONE);

	private ActiveContexts() {
	}

	/**
	 * {@return whether woven methods are plain methods}
	 */
	static boolean isEmpty() {
		return contexts().length == 0;
	}

	/**
	 * Run an execution in its context. Of several contexts, that is the one whose bean
	 * the target is; for other objects and static methods, the one that was opened last.
	 */
	static @Nullable Object call(WovenInvocation invocation) {
		WovenBeans[] contexts = contexts();
		return switch (contexts.length) {
			case 0 -> invocation.proceed();
			case 1 -> contexts[0].call(invocation);
			default -> choose(contexts, invocation.getThis()).call(invocation);
		};
	}

	private static WovenBeans choose(WovenBeans[] contexts, @Nullable Object target) {
		if (target != null) {
			for (WovenBeans context : contexts) {
				if (context.has(target)) {
					return context;
				}
			}
		}
		return contexts[contexts.length - 1];
	}

	private static WovenBeans[] contexts() {
		return Objects.requireNonNull(ACTIVE.get());
	}

	static void open(WovenBeans context) {
		ACTIVE.updateAndGet((contexts) -> {
			WovenBeans[] more = Arrays.copyOf(contexts, contexts.length + 1);
			more[contexts.length] = context;
			return more;
		});
	}

	static void close(WovenBeans context) {
		ACTIVE.updateAndGet((contexts) -> Arrays.stream(contexts)
			.filter((other) -> !other.equals(context))
			.toArray(WovenBeans[]::new));
	}

}
