package dev.backoff;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;

/*
 * In a process of its own, since an overflow may leave classes that nothing can use. Only
 * without a compiler, the frames are the same in each run; overflows.sh counts the others.
 */
class StackOverflowTests {

	private static final int PROBES = 20_000;

	private static final int FRAMES = 100;

	@ParameterizedTest
	@ValueSource(strings = { "done", "failing", "later", "opening", "waiting" })
	void losesNoPermitWhereverItHappensInACall(String kind) throws Exception {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xint", "-cp", System.getProperty("java.class.path"), StackOverflowTests.class.getName(), kind)
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(output).isEqualToIgnoringNewLines("lost permits 0, probes 0, calls 0");
	}

	/** Make calls that begin near the end of the stack, each a frame higher. */
	public static void main(String[] arguments) throws InterruptedException {
		if (arguments[0].equals("waiting")) {
			System.out.println("lost permits 0, probes 0, calls " + asleep());
			return;
		}
		ConcurrencyLimit limit = new ConcurrencyLimit("orders", 1_000_000, 0);
		CallRegistry running = new CallRegistry();
		boolean opening = arguments[0].equals("opening");
		CircuitBreaker breaker = CircuitBreaker.builder("orders")
			.settings(BreakerSettings.builder().failureRate(1).probes(opening ? 1 : PROBES).build())
			.build();
		Retry retry = Retry.builder(RetryPolicy.builder("orders").base(Duration.ZERO).maxAttempts(2).build())
			.concurrencyLimit(limit)
			.breaker(breaker)
			.calls(running)
			.counted(true)
			.executor(Runnable::run)
			.build();
		Runnable call = () -> start(retry, arguments[0]);
		int lost = 0;
		for (int i = 0; i < (opening ? FRAMES : 40); i++) {
			if (opening || i == 0) {
				breaker.openFor(Duration.ofNanos(1));
			}
			int only = opening ? i : -1;
			onThread(() -> descend(call, only));
			// on a thread that owes nothing
			onThread(call);
			lost += (opening && breaker.state() != BreakerState.CLOSED) ? 1 : 0;
		}
		lost += opening ? 0 : PROBES - (int) breaker.counts().total();
		while (!opening && breaker.tryAcquire(System.nanoTime()) != null) {
			lost--;
		}
		System.out.println("lost permits " + limit.active() + ", probes " + lost + ", calls " + running.running());
	}

	/* How many waiting calls sleep on though a permit and another call came. */
	private static int asleep() throws InterruptedException {
		int asleep = 0;
		for (int frame = 0; frame < FRAMES; frame++) {
			ConcurrencyLimit limit = new ConcurrencyLimit("orders", 1, 10);
			boolean taken = limit.tryAcquire();
			boolean[] woken = new boolean[1];
			limit.enter(false).whenGranted(() -> woken[0] = depth(30) && taken);
			int only = frame;
			boolean[] released = new boolean[1];
			onThread(() -> descend(() -> {
				try {
					limit.release();
					released[0] = true;
				}
				catch (StackOverflowError ex) {
					// it had no room to begin
				}
			}, only));
			if (!released[0]) {
				limit.release();
			}
			limit.enter(false).leave();
			asleep += woken[0] ? 0 : 1;
		}
		return asleep;
	}

	/* As many frames as it takes to wake a call. */
	private static boolean depth(int frames) {
		return frames == 0 || depth(frames - 1);
	}

	private static void start(Retry retry, String kind) {
		try {
			Object unused = kind.equals("later") ? retry.callAsync(() -> CompletableFuture.completedFuture(kind))
					: retry.call(() -> 1 / (kind.equals("failing") ? 0 : 1));
		}
		catch (StackOverflowError | ArithmeticException | CircuitOpenException ex) {
			// as expected
		}
	}

	private static void onThread(Runnable task) throws InterruptedException {
		Thread thread = new Thread(null, task, "deep", 200_000);
		thread.start();
		thread.join();
	}

	@SuppressWarnings("InfiniteRecursion") // it is the case
	private static int descend(Runnable call, int only) {
		int left = FRAMES;
		try {
			left = descend(call, only);
		}
		catch (StackOverflowError ex) {
			// the last frame
		}
		if (left > 0 && (only < 0 || left == only)) {
			call.run();
		}
		return left - 1;
	}

}
