package dev.backoff.spring.aspectj;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.CompletableFuture;

import reactor.core.publisher.Mono;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;

/** A bean with methods of every kind, most of which no proxy could advise. */
class Depot {

	@Backoff("depot")
	public String pick(String item) throws Script.Failure {
		return Script.run(item);
	}

	public String pickByItself(String item) throws Script.Failure {
		return pick(item);
	}

	public String pickSecretly(String item) throws Script.Failure {
		return secret(item);
	}

	@Backoff("depot")
	private String secret(String item) throws Script.Failure {
		return Script.run(item);
	}

	@Backoff("depot")
	static String pickAnywhere(String item) throws Script.Failure {
		return Script.run(item);
	}

	@Backoff("depot")
	public final String pickFinally(String item) throws Script.Failure {
		return Script.run(item);
	}

	@Backoff("depot")
	String pickInPackage(String item) throws Script.Failure {
		return Script.run(item);
	}

	@Composed
	public int count(String item, int number) throws Script.Failure {
		String before = item;
		item = "changed";
		Script.run(before);
		return number;
	}

	@Backoff("depot")
	public double weigh(long first, double second, String... items) throws Script.Failure {
		Script.run(String.join("", items));
		return first + second;
	}

	@Backoff("depot")
	synchronized String pickAlone(String item) throws Script.Failure {
		return Script.run(item);
	}

	@Backoff("depot")
	public void drop(String item) throws Script.Failure {
		Script.run(item);
	}

	@Backoff("depot")
	public CompletableFuture<String> pickLater(String item) {
		try {
			return CompletableFuture.completedFuture(Script.run(item));
		}
		catch (Script.Failure ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Backoff("depot")
	Mono<String> pickWhenSubscribed(String item) {
		return Mono.fromCallable(() -> Script.run(item));
	}

	@Backoff(value = "depot", recover = "substitute")
	public String pickOrSubstitute(String item) throws Script.Failure {
		return Script.run(item);
	}

	/* Annotated too, and not retried while it recovers. */
	@Backoff("depot")
	@SuppressWarnings("UnusedMethod") // named in an annotation
	private String substitute(String item, RetriesStoppedException stopped) throws Script.Failure {
		return Script.run("instead of " + item + " after " + stopped.attempts());
	}

	@Backoff(value = "depot", recover = "substituteAnywhere")
	static String pickAnywhereOrSubstitute(String item) throws Script.Failure {
		return Script.run(item);
	}

	@SuppressWarnings("UnusedMethod") // named in an annotation
	private static String substituteAnywhere(String item) {
		return "instead of " + item;
	}

	/** A composed annotation. */
	@Backoff("depot")
	@Retention(RetentionPolicy.RUNTIME)
	@Target(ElementType.METHOD)
	@interface Composed {

	}

}
