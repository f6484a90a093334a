package dev.backoff.spring.safety;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Look something up among the beans when it is asked for, and keep what was found. Unlike
 * Spring's {@code SingletonSupplier} it locks nobody out meanwhile: one thread may hold
 * the lock of beans that are made and ask for this, while another asks for this and needs
 * that lock. Two may then look it up, and both find the same. Thread-safe.
 *
 * @param <T> what is looked up
 */
final class LateBeans<T> implements Supplier<T> {

	private final Supplier<T> lookup;

	private volatile @Nullable T found;

	LateBeans(Supplier<T> lookup) {
		this.lookup = lookup;
	}

	@Override
	public T get() {
		T known = this.found;
		if (known == null) {
			known = this.lookup.get();
			this.found = known;
		}
		return known;
	}

}
