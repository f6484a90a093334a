package dev.backoff.benchmarks.waiting;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.backoff.CallRegistry;
import dev.backoff.Retry;
import dev.backoff.annotation.Backoff;
import dev.backoff.delay.Jitter;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

/**
 * Asynchronous calls whose first attempt has failed and that wait for the next, an hour
 * or two away, until they are cancelled in an order of chance.
 *
 * @param calls how many wait at once
 * @param bytes what one costs, the future that its caller holds included
 * @param threads how many threads there are more than before
 * @param startNanos what the first attempt, its failure and the beginning of the wait
 * take
 * @param cancelNanos what it takes to cancel one
 * @param bytesAfter what is left of one after all are cancelled
 */
public record AsyncWaits(int calls, double bytes, int threads, long startNanos, long cancelNanos, double bytesAfter) {

	private static final int WARM_UP = 50_000;

	private static final CompletableFuture<String> FAILED = CompletableFuture
		.failedFuture(new IllegalStateException("down"));

	/**
	 * Measure calls of {@link Retry#callAsync}.
	 * @param calls how many calls wait at once
	 * @return what they cost
	 */
	public static AsyncWaits of(int calls) {
		CallRegistry waiting = new CallRegistry();
		Retry retry = Retry
			.builder(RetryPolicy.builder("waiting")
				.base(Duration.ofHours(2))
				.cap(Duration.ofHours(2))
				.jitter(Jitter.equal())
				.retryOn(IllegalStateException.class)
				.build())
			.calls(waiting)
			.build();
		return measure(calls, () -> retry.callAsync(() -> FAILED), waiting);
	}

	/**
	 * Measure calls of an annotated method, through its proxy.
	 * @param calls how many calls wait at once
	 * @return what they cost, what Spring keeps of an invocation included
	 */
	public static AsyncWaits ofAnnotated(int calls) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.run()) {
			Partner partner = context.getBean(Partner.class);
			return measure(calls, partner::call, context.getBean(CallRegistry.class));
		}
	}

	private static AsyncWaits measure(int calls, Supplier<CompletableFuture<String>> call, CallRegistry waiting) {
		for (int i = 0; i < 2; i++) {
			cancel(start(call, WARM_UP));
		}
		long before = Heap.used();
		int threadsBefore = countThreads();
		long started = System.nanoTime();
		List<CompletableFuture<String>> waits = start(call, calls);
		long startNanos = (System.nanoTime() - started) / calls;
		int threads = countThreads() - threadsBefore;
		long during = Heap.used();
		if (waiting.waiting() != calls) {
			throw new IllegalStateException(waiting + " in place of " + calls);
		}
		Collections.shuffle(waits, new Random(calls));
		long cancelled = System.nanoTime();
		cancel(waits);
		long cancelNanos = (System.nanoTime() - cancelled) / calls;
		waits.clear();
		// what the list itself holds is the caller's
		long list = 4L * calls;
		return new AsyncWaits(calls, (during - before - list) / (double) calls, threads, startNanos, cancelNanos,
				(Heap.used() - before - list) / (double) calls);
	}

	private static List<CompletableFuture<String>> start(Supplier<CompletableFuture<String>> call, int calls) {
		List<CompletableFuture<String>> started = new ArrayList<>(calls);
		for (int i = 0; i < calls; i++) {
			started.add(call.get());
		}
		return started;
	}

	private static void cancel(List<CompletableFuture<String>> waits) {
		for (CompletableFuture<String> wait : waits) {
			if (!wait.cancel(true)) {
				throw new IllegalStateException("A call did not wait");
			}
		}
	}

	private static int countThreads() {
		return Thread.getAllStackTraces().size();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class })
	static class Application {

		@Bean
		Partner partner() {
			return new Partner();
		}

	}

	/** What is called. */
	static class Partner {

		@Backoff(base = "2h", cap = "2h", jitter = "equal", budget = "none", retryOn = IllegalStateException.class)
		public CompletableFuture<String> call() {
			return FAILED;
		}

	}

}
