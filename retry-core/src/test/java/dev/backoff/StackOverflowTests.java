package dev.backoff;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;

/*
 * In a process of its own, since an overflow may leave classes that nothing can use. It is
 * not compiled: the frames of compiled code differ from run to run.
 */
class StackOverflowTests {

	private static final int PROBES = 20_000;

	@ParameterizedTest
	@ValueSource(strings = { "done", "failing", "later" })
	void losesNoPermitWhereverItHappensInACall(String kind) throws Exception {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xint", "-cp", System.getProperty("java.class.path"), StackOverflowTests.class.getName(), kind)
			.redirectErrorStream(true)
			.start();
		assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
			.isEqualToIgnoringNewLines("lost permits 0, probes 0, calls 0");
	}

	/** Make calls that begin near the end of the stack, each a frame higher. */
	public static void main(String[] arguments) throws InterruptedException {
		ConcurrencyLimit limit = new ConcurrencyLimit("orders", 1_000_000, 0);
		CallRegistry running = new CallRegistry();
		CircuitBreaker breaker = CircuitBreaker.builder("orders")
			.settings(BreakerSettings.builder().failureRate(1).probes(PROBES).build())
			.build();
		breaker.openFor(Duration.ofNanos(1));
		Retry retry = Retry.builder(RetryPolicy.builder("orders").base(Duration.ZERO).maxAttempts(2).build())
			.concurrencyLimit(limit)
			.breaker(breaker)
			.calls(running)
			.counted(true)
			.executor(Runnable::run)
			.build();
		Runnable call = () -> start(retry, arguments[0]);
		call.run();
		for (int i = 0; i < 40; i++) {
			Thread deep = new Thread(null, () -> descend(call), "deep", 200_000);
			deep.start();
			deep.join();
		}
		long lost = PROBES - breaker.counts().total();
		while (breaker.tryAcquire(System.nanoTime()) != null) {
			lost--;
		}
		System.out.println("lost permits " + limit.active() + ", probes " + lost + ", calls " + running.running());
	}

	private static void start(Retry retry, String kind) {
		try {
			Object unused = kind.equals("later") ? retry.callAsync(() -> CompletableFuture.completedFuture(kind))
					: retry.call(() -> 1 / (kind.equals("failing") ? 0 : 1));
		}
		catch (StackOverflowError | ArithmeticException ex) {
			// as expected
		}
	}

	private static int descend(Runnable call) {
		int left = 100;
		try {
			left = descend(call);
		}
		catch (StackOverflowError ex) {
			// the last frame
		}
		if (left > 0) {
			call.run();
		}
		return left - 1;
	}

}
