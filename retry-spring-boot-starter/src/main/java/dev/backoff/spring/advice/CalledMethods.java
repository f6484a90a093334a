package dev.backoff.spring.advice;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * The methods that have been called. A proxy calls a method by the same {@link Method}
 * object each time, so each such object has a place of its own. To find it takes a third
 * of the time of a map, which compares names and types of parameters. Thread-safe.
 */
final class CalledMethods {

	/* Beyond this number, new objects for a known method are found by comparing. */
	private static final int MOST_COPIES = 1_000;

	private final Object adding = new Object();

	/*
	 * Each method is in the first free place from the one that its hash code says. The
	 * number of places is a power of two, and at least half of them are empty. An array
	 * is never written to, but replaced.
	 */
	private volatile @Nullable Known[] places = new Known[16];

	private int taken;

	private int copies;

	/** Return what is known of a method, or null. */
	@Nullable Known find(Method method, Class<?> targetClass) {
		@Nullable Known[] places = this.places;
		Known known = places[place(places, method, targetClass)];
		return (known != null) ? known : findEqual(places, method, targetClass);
	}

	/** Return the place of a method, or the empty one where it belongs. */
	private static int place(@Nullable Known[] places, Method method, Class<?> targetClass) {
		int last = places.length - 1;
		// of both, since many classes may inherit one method
		int place = (System.identityHashCode(method) + System.identityHashCode(targetClass)) & last;
		Known seen = places[place];
		while (seen != null && !seen.isSame(method, targetClass)) {
			place = (place + 1) & last;
			seen = places[place];
		}
		return place;
	}

	private @Nullable Known findEqual(@Nullable Known[] places, Method method, Class<?> targetClass) {
		for (Known known : places) {
			if (known != null && known.isEqual(method, targetClass)) {
				add(new Known(method, targetClass, known.retry()), 1);
				return known;
			}
		}
		return null;
	}

	/** Add a method, with its retry or null if it is not annotated. */
	void add(Method method, Class<?> targetClass, @Nullable MethodRetry retry) {
		add(new Known(method, targetClass, retry), 0);
	}

	private void add(Known called, int copies) {
		synchronized (this.adding) {
			@Nullable Known[] known = this.places;
			boolean isKnown = known[place(known, called.method(), called.targetClass())] != null;
			if (!isKnown && this.copies + copies <= MOST_COPIES) {
				this.taken++;
				this.copies += copies;
				this.places = with(known, called, 2 * this.taken > known.length);
			}
		}
	}

	private static @Nullable Known[] with(@Nullable Known[] known, Known called, boolean full) {
		@Nullable Known[] more = full ? new Known[2 * known.length] : known.clone();
		if (full) {
			for (Known each : known) {
				if (each != null) {
					more[place(more, each.method(), each.targetClass())] = each;
				}
			}
		}
		more[place(more, called.method(), called.targetClass())] = called;
		return more;
	}

	/** A method of a class, with its retry or null if it is not annotated. */
	record Known(Method method, Class<?> targetClass, @Nullable MethodRetry retry) {

		@SuppressWarnings("ReferenceEquality") // an equal one is looked for if this fails
		boolean isSame(Method method, Class<?> targetClass) {
			return this.method == method && this.targetClass == targetClass;
		}

		boolean isEqual(Method method, Class<?> targetClass) {
			return this.targetClass == targetClass && this.method.equals(method);
		}

	}

}
