package dev.backoff.refresh.cloud;

import dev.backoff.annotation.Backoff;

/** Calls that fail. */
public class Shop {

	private Runnable inAttempt = () -> {
	};

	/** Let something happen once, in the attempt that comes next. */
	void inNextAttempt(Runnable action) {
		this.inAttempt = action;
	}

	private void fail() {
		Runnable action = this.inAttempt;
		this.inAttempt = () -> {
		};
		action.run();
		throw new IllegalStateException("down");
	}

	@Backoff("orders")
	public void order() {
		fail();
	}

	@Backoff("mail")
	public void mail() {
		fail();
	}

	@Backoff(cap = "${longest-wait:9s}")
	public void unnamed() {
		fail();
	}

}
