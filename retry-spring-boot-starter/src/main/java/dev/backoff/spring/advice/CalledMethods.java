package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * The methods of one class that were called so far. A proxy calls a method by the same
 * {@link Method} each time and a class has few of them, so comparing references is
 * quicker than hashing names. Thread-safe.
 */
final class CalledMethods {

	private final AtomicReference<CalledMethod[]> methods = new AtomicReference<>(new CalledMethod[0]);

	/** Return what is known of a method, or null. */
	@SuppressWarnings("ReferenceEquality") // first what is quick, then what is right
	@Nullable CalledMethod find(Method method) {
		CalledMethod[] known = Objects.requireNonNull(this.methods.get());
		for (CalledMethod called : known) {
			if (called.method() == method) {
				return called;
			}
		}
		return findEqual(known, method);
	}

	private static @Nullable CalledMethod findEqual(CalledMethod[] known, Method method) {
		for (CalledMethod called : known) {
			if (called.method().equals(method)) {
				return called;
			}
		}
		return null;
	}

	void add(CalledMethod called) {
		this.methods.updateAndGet((known) -> (findEqual(known, called.method()) != null) ? known : with(known, called));
	}

	private static CalledMethod[] with(CalledMethod[] known, CalledMethod called) {
		CalledMethod[] more = Arrays.copyOf(known, known.length + 1);
		more[known.length] = called;
		return more;
	}

}
