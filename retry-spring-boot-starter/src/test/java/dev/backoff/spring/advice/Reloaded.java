package dev.backoff.spring.advice;

import java.util.concurrent.Callable;

import dev.backoff.annotation.Backoff;

/** Returns its class, of which there may be several with one name. */
@Backoff(budget = "none")
public class Reloaded implements Callable<Object> {

	@Override
	public Object call() {
		return getClass();
	}

}
