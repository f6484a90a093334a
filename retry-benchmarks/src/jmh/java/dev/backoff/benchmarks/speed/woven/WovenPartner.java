package dev.backoff.benchmarks.speed.woven;

import java.util.concurrent.CompletableFuture;

import dev.backoff.annotation.Backoff;
import dev.backoff.benchmarks.speed.Partner;

/** What is called woven: the build of the profile weaves this package and no other. */
public class WovenPartner extends Partner {

	/**
	 * Make a partner.
	 * @param failures how often it fails before it succeeds
	 */
	public WovenPartner(int failures) {
		super(failures);
	}

	@Override
	@Backoff("partner")
	public String ask(String question) {
		return super.ask(question);
	}

	@Override
	@Backoff("partner")
	public CompletableFuture<String> askLater(String question) {
		return super.askLater(question);
	}

}
