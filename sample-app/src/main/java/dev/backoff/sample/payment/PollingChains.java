package dev.backoff.sample.payment;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/**
 * One chain of questions for each trade number: a request joins the chain that runs. This
 * holds within one process. Two instances of the shop would both ask, which is harmless,
 * because the row decides.
 */
@Component
class PollingChains {

	private final ConcurrentMap<String, CompletableFuture<Payment>> running = new ConcurrentHashMap<>();

	private final PaymentPoller poller;

	private final Executor executor;

	PollingChains(PaymentPoller poller, @Qualifier("applicationTaskExecutor") Executor executor) {
		this.poller = poller;
		this.executor = executor;
	}

	/** Return the result of the running chain, or of a new one. */
	CompletableFuture<Payment> join(String trade) {
		CompletableFuture<Payment> chain = new CompletableFuture<>();
		CompletableFuture<Payment> earlier = this.running.putIfAbsent(trade, chain);
		if (earlier == null) {
			start(trade, chain);
		}
		// a copy each, so that cancelling one answer leaves the others
		return ((earlier != null) ? earlier : chain).copy();
	}

	private void start(String trade, CompletableFuture<Payment> chain) {
		try {
			this.executor.execute(() -> run(trade, chain));
		}
		catch (RuntimeException ex) {
			this.running.remove(trade, chain);
			chain.completeExceptionally(ex);
		}
	}

	private void run(String trade, CompletableFuture<Payment> chain) {
		try {
			Payment payment = this.poller.poll(trade);
			this.running.remove(trade, chain);
			chain.complete(payment);
		}
		catch (Throwable ex) {
			this.running.remove(trade, chain);
			chain.completeExceptionally(ex);
		}
	}

}
