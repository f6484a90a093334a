package dev.backoff.spring.advice.otherpackage;

/** A superclass of beans in other packages. */
public class Ancestor {

	private final StringBuilder state = new StringBuilder("with state");

	/** A proxy in another package cannot override it. */
	String inherited() {
		return "inherited " + this.state;
	}

}
