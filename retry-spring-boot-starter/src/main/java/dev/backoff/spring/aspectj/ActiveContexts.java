package dev.backoff.spring.aspectj;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * The application contexts in mode {@code aspectj} that are open in this process: none,
 * in which case woven methods are plain methods, or one, or several one after the other
 * or side by side. A context that closes leaves nothing here. Thread-safe.
 */
final class ActiveContexts {

	private static final WovenBeans[] NONE = {};

	/* In the order they were opened. */
	private static final AtomicReference<WovenBeans[]> ACTIVE = new AtomicReference<>(NONE);

	private ActiveContexts() {
	}

	/**
	 * Return the context that an execution belongs to, or null if there is none: of
	 * several, the one whose bean the target is; for other objects and static methods,
	 * the one that was opened last.
	 * @param target the object whose method runs, or null for a static method
	 */
	static @Nullable WovenBeans of(@Nullable Object target) {
		WovenBeans[] contexts = Objects.requireNonNull(ACTIVE.get());
		if (contexts.length == 0) {
			return null;
		}
		WovenBeans last = contexts[contexts.length - 1];
		return (contexts.length == 1) ? last : choose(contexts, target, last);
	}

	private static WovenBeans choose(WovenBeans[] contexts, @Nullable Object target, WovenBeans last) {
		if (target != null) {
			for (WovenBeans context : contexts) {
				if (context.has(target)) {
					return context;
				}
			}
		}
		return last;
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
