package dev.backoff.test;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.RetryTime;

/**
 * The faults of a Spring test, in which it is a bean. They happen at each attempt of a
 * method with {@code @Backoff}, inside our advice and outside its transaction. So the
 * real classification, hints, budget, breaker and recovery are tested, without a mock of
 * the client. They reach proxies only: no woven methods and no programmatic calls.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class BackoffFaults {

	private final Supplier<? extends Collection<String>> known;

	private final Supplier<FaultScript> scripts;

	/* By canonical name. */
	private final Map<String, FaultScript> active = new ConcurrentHashMap<>();

	BackoffFaults(RetryTime time, long seed, Supplier<? extends Collection<String>> known) {
		this.known = known;
		this.scripts = () -> new FaultScript(time, seed);
	}

	/**
	 * Begin a script in place of the one before.
	 * @param name a method ({@code OrderService.place}), or a policy for those of its
	 * methods that have no script; in any spelling
	 * @return the script, to be given steps
	 * @throws UnrecordedCallError if nothing has that name
	 */
	public FaultScript of(String name) {
		Collection<String> known = this.known.get();
		if (!Names.contain(known, name)) {
			throw new UnrecordedCallError(
					"Invalid name (" + name
							+ "): must be that of a method with @Backoff that has a proxy, or of its policy.",
					name, known);
		}
		FaultScript script = this.scripts.get();
		this.active.put(Names.canonical(name), script);
		return script;
	}

	/** End all faults. */
	public void clear() {
		this.active.clear();
	}

	@Nullable FaultScript find(String policy, String method) {
		FaultScript script = this.active.get(Names.canonical(method));
		return (script != null) ? script : this.active.get(Names.canonical(policy));
	}

}
