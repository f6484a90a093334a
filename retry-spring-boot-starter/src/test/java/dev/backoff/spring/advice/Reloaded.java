package dev.backoff.spring.advice;

import java.util.concurrent.Callable;

import dev.backoff.annotation.Backoff;

/** Says of which class it is, since there may be several of its name. */
@Backoff(budget = "none")
public class Reloaded implements Callable<Object> {

	@Override
	public Object call() {
		return getClass();
	}

}
