package dev.backoff.benchmarks.layers;

/** A service that calls the one below. */
public class Layer {

	private final Runnable below;

	Layer(Runnable below) {
		this.below = below;
	}

	/** Call the layer below, with whatever retries the annotation asks for. */
	public void run() {
		this.below.run();
	}

}
