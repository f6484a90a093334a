package dev.backoff.test;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.RetryTime;

/**
 * The faults of a Spring test, in which it is a bean. They happen at each attempt of a
 * method with {@code @Backoff}, inside our advice and outside its transaction. They reach
 * proxies only: no woven methods and no programmatic calls. Thread-safe.
 *
 * @since 0.1
 */
public final class BackoffFaults {

	private final RetryTime time;

	private final long seed;

	private final Supplier<? extends Collection<String>> known;

	private final Map<String, FaultScript> scripts = new ConcurrentHashMap<>();

	BackoffFaults(RetryTime time, long seed, Supplier<? extends Collection<String>> known) {
		this.time = time;
		this.seed = seed;
		this.known = known;
	}

	/**
	 * Begin a script in place of the one before.
	 * @param name a method ({@code OrderService.place}), or a policy for those of its
	 * methods that have no script
	 * @return the script, to be given steps
	 * @throws IllegalArgumentException if nothing has that name
	 */
	public FaultScript of(String name) {
		Collection<String> known = this.known.get();
		if (!known.contains(name)) {
			throw new IllegalArgumentException("Invalid name (" + name + "): must be that of a method with @Backoff "
					+ "that has a proxy, or of its policy: " + String.join(", ", known) + ".");
		}
		FaultScript script = new FaultScript(this.time, this.seed);
		this.scripts.put(name, script);
		return script;
	}

	/** End all faults. */
	public void clear() {
		this.scripts.clear();
	}

	@Nullable FaultScript find(String policy, String method) {
		FaultScript script = this.scripts.get(method);
		return (script != null) ? script : this.scripts.get(policy);
	}

}
