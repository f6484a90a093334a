package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * The methods that were called so far. A proxy calls a method by the same {@link Method}
 * each time, so each such object has a place of its own: finding it takes a third of the
 * time that a map needs which compares names and types of parameters. Thread-safe.
 */
final class CalledMethods {

	/* Who calls by ever new objects is looked up by comparing, beyond so many. */
	private static final int MOST_COPIES = 1_000;

	private final AtomicReference<Places> places = new AtomicReference<>(new Places(new CalledMethod[16], 0, 0));

	/** Return what is known of a method, or null. */
	@Nullable CalledMethod find(Method method, Class<?> targetClass) {
		Places places = Objects.requireNonNull(this.places.get());
		CalledMethod known = places.find(method, targetClass);
		return (known != null) ? known : findEqual(places, method, targetClass);
	}

	private @Nullable CalledMethod findEqual(Places places, Method method, Class<?> targetClass) {
		CalledMethod equal = places.findEqual(method, targetClass);
		if (equal != null && places.copies() < MOST_COPIES) {
			CalledMethod copy = new CalledMethod(method, targetClass, equal.retry());
			this.places.updateAndGet((known) -> known.with(copy, 1));
		}
		return equal;
	}

	/** Add what is not known yet. */
	void add(CalledMethod called) {
		this.places.updateAndGet((known) -> known.with(called, 0));
	}

	/**
	 * The methods by the identity of their objects and classes, each in the first free
	 * place from the one its hash code says. Immutable.
	 *
	 * @param places a power of two, at least half of them empty
	 * @param taken how many are not
	 * @param copies how many of those are equal to one that was there before
	 */
	@SuppressWarnings("ArrayRecordComponent") // never compared
	private record Places(@Nullable CalledMethod[] places, int taken, int copies) {

		@Nullable CalledMethod find(Method method, Class<?> targetClass) {
			int last = this.places.length - 1;
			int place = hash(method, targetClass) & last;
			CalledMethod known = this.places[place];
			while (known != null && !known.isSame(method, targetClass)) {
				place = (place + 1) & last;
				known = this.places[place];
			}
			return known;
		}

		@Nullable CalledMethod findEqual(Method method, Class<?> targetClass) {
			for (CalledMethod known : this.places) {
				if (known != null && known.isEqual(method, targetClass)) {
					return known;
				}
			}
			return null;
		}

		Places with(CalledMethod called, int copies) {
			if (find(called.method(), called.targetClass()) != null) {
				return this;
			}
			boolean full = 2 * (this.taken + 1) > this.places.length;
			@Nullable CalledMethod[] more = full ? new CalledMethod[2 * this.places.length] : this.places.clone();
			if (full) {
				for (CalledMethod known : this.places) {
					put(more, known);
				}
			}
			put(more, called);
			return new Places(more, this.taken + 1, this.copies + copies);
		}

		/* Many classes may inherit one method. */
		private static int hash(Method method, Class<?> targetClass) {
			return System.identityHashCode(method) + System.identityHashCode(targetClass);
		}

		private static void put(@Nullable CalledMethod[] places, @Nullable CalledMethod called) {
			if (called != null) {
				int last = places.length - 1;
				int place = hash(called.method(), called.targetClass()) & last;
				while (places[place] != null) {
					place = (place + 1) & last;
				}
				places[place] = called;
			}
		}

	}

}
