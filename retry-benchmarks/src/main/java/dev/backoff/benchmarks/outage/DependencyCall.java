package dev.backoff.benchmarks.outage;

/**
 * A call of the {@link Dependency} as an application writes it. Each {@link Contender}
 * extends it with an annotation of its own. A class, since not every peer finds an
 * annotation behind an interface.
 */
public class DependencyCall {

	private final Runnable call;

	DependencyCall(Runnable call) {
		this.call = call;
	}

	/** Make the call, with whatever retries the annotation asks for. */
	public void run() {
		this.call.run();
	}

}
