package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * The methods that were called so far. A proxy calls a method by the same {@link Method}
 * each time, so each such object has a place of its own: finding it takes a third of the
 * time that a map needs which compares names and types of parameters. Thread-safe.
 */
final class CalledMethods {

	/* Who calls by ever new objects is looked up by comparing, beyond so many. */
	private static final int MOST_COPIES = 1_000;

	private final ReentrantLock adding = new ReentrantLock();

	/*
	 * Each method in the first free place from the one that its hash code says. There are
	 * a power of two, at least half of them empty. Never written to, but replaced.
	 */
	private volatile @Nullable CalledMethod[] places = new CalledMethod[16];

	private int taken;

	private int copies;

	/** Return what is known of a method, or null. */
	@Nullable CalledMethod find(Method method, Class<?> targetClass) {
		@Nullable CalledMethod[] places = this.places;
		CalledMethod known = places[place(places, method, targetClass)];
		return (known != null) ? known : findEqual(places, method, targetClass);
	}

	/** Return the place of a method, or the empty one where it belongs. */
	private static int place(@Nullable CalledMethod[] places, Method method, Class<?> targetClass) {
		int last = places.length - 1;
		// of both, since many classes may inherit one method
		int place = (System.identityHashCode(method) + System.identityHashCode(targetClass)) & last;
		CalledMethod seen = places[place];
		while (seen != null && !seen.isSame(method, targetClass)) {
			place = (place + 1) & last;
			seen = places[place];
		}
		return place;
	}

	private @Nullable CalledMethod findEqual(@Nullable CalledMethod[] places, Method method, Class<?> targetClass) {
		for (CalledMethod known : places) {
			if (known != null && known.isEqual(method, targetClass)) {
				add(new CalledMethod(method, targetClass, known.retry()), 1);
				return known;
			}
		}
		return null;
	}

	/** Add what is not known yet. */
	void add(CalledMethod called) {
		add(called, 0);
	}

	private void add(CalledMethod called, int copies) {
		this.adding.lock();
		try {
			@Nullable CalledMethod[] known = this.places;
			boolean isKnown = known[place(known, called.method(), called.targetClass())] != null;
			if (!isKnown && this.copies + copies <= MOST_COPIES) {
				this.taken++;
				this.copies += copies;
				this.places = with(known, called, 2 * this.taken > known.length);
			}
		}
		finally {
			this.adding.unlock();
		}
	}

	private static @Nullable CalledMethod[] with(@Nullable CalledMethod[] known, CalledMethod called, boolean full) {
		@Nullable CalledMethod[] more = full ? new CalledMethod[2 * known.length] : known.clone();
		if (full) {
			for (CalledMethod each : known) {
				if (each != null) {
					more[place(more, each.method(), each.targetClass())] = each;
				}
			}
		}
		more[place(more, called.method(), called.targetClass())] = called;
		return more;
	}

}
