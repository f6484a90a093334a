package dev.backoff.sample.payment;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/**
 * Keeps one chain of questions for each trade number: who asks while it runs joins it.
 * (It holds for this process. Two instances of the shop would ask twice, which costs
 * questions but breaks nothing, because the row decides.)
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

	/** Return the end of the chain that runs, or of a new one. */
	CompletableFuture<Payment> join(String trade) {
		CompletableFuture<Payment> chain = new CompletableFuture<>();
		CompletableFuture<Payment> earlier = this.running.putIfAbsent(trade, chain);
		if (earlier == null) {
			start(trade, chain);
		}
		// A copy each, so that a client that leaves cancels nobody else's answer.
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
