package dev.backoff.spring.observation;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.backoff.event.CallRecorder;

/**
 * One recorder for each pair of policy and method. After {@value #MOST} pairs, further
 * ones share the method {@value #OTHER}, and further policies the policy of that name: a
 * program can make up labels without end. Thread-safe.
 */
class BoundedRecorders implements CallRecorder.Factory, CallStatistics {

	/** The greatest number of pairs that have recorders of their own. */
	static final int MOST = 1_000;

	/** The name that all pairs beyond the bound share. */
	static final String OTHER = "other";

	private final Set<String> policies = ConcurrentHashMap.newKeySet();

	private final Map<Key, MethodCounts> recorders = new ConcurrentHashMap<>();

	private final Object adding = new Object();

	/** Make a recorder, under a lock. */
	MethodCounts make(String policy, String method) {
		return new MethodCounts(policy, method);
	}

	@Override
	public MethodCounts recorder(String policy, String method) {
		MethodCounts known = this.recorders.get(new Key(policy, method));
		if (known != null) {
			return known;
		}
		synchronized (this.adding) {
			boolean own = this.recorders.size() < MOST || this.recorders.containsKey(new Key(policy, method));
			return own ? add(policy, method) : add(this.policies.contains(policy) ? policy : OTHER, OTHER);
		}
	}

	private MethodCounts add(String policy, String method) {
		this.policies.add(policy);
		return this.recorders.computeIfAbsent(new Key(policy, method), (key) -> make(policy, method));
	}

	@Override
	public List<MethodCalls> all() {
		return recorders().stream().map(MethodCounts::statistics).toList();
	}

	Collection<MethodCounts> recorders() {
		return this.recorders.values();
	}

	private record Key(String policy, String method) {
	}

}
