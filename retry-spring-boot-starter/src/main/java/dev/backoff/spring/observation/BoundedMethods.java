package dev.backoff.spring.observation;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;

/**
 * One object for each pair of policy and method. After {@value #MOST} pairs, further ones
 * share the method {@value #OTHER}, and further policies the policy of that name: a
 * program can make up labels without end. Thread-safe.
 *
 * @param <M> the type of object
 */
final class BoundedMethods<M> {

	/** The greatest number of pairs that have objects of their own. */
	static final int MOST = 1_000;

	/** The name that all pairs beyond the bound share. */
	static final String OTHER = "other";

	private final BiFunction<String, String, M> maker;

	private final Set<String> policies = ConcurrentHashMap.newKeySet();

	private final Map<Key, M> methods = new ConcurrentHashMap<>();

	private final ReentrantLock adding = new ReentrantLock();

	BoundedMethods(BiFunction<String, String, M> maker) {
		this.maker = maker;
	}

	/** Return the object of a pair, made if it is not there. */
	M get(String policy, String method) {
		M known = find(policy, method);
		return (known != null) ? known : add(policy, method);
	}

	/** Return the object of a pair, or null if it has none of its own. */
	@Nullable M find(String policy, String method) {
		return this.methods.get(new Key(policy, method));
	}

	Collection<M> all() {
		return this.methods.values();
	}

	private M add(String policy, String method) {
		this.adding.lock();
		try {
			if (this.methods.size() < MOST) {
				return make(policy, method);
			}
			M known = find(policy, method);
			return (known != null) ? known : make(this.policies.contains(policy) ? policy : OTHER, OTHER);
		}
		finally {
			this.adding.unlock();
		}
	}

	private M make(String policy, String method) {
		this.policies.add(policy);
		return this.methods.computeIfAbsent(new Key(policy, method), (key) -> this.maker.apply(policy, method));
	}

	/** A pair that has an object of its own. */
	private record Key(String policy, String method) {
	}

}
