package dev.backoff.test;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.backoff.Attempt;
import dev.backoff.Retry;
import dev.backoff.delay.Jitter;
import dev.backoff.event.CallObserver;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.time.RetryTime.Cancellable;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls on many threads tell the stories of a model on one thread. */
class RandomProgramsTests {

	private static final int PROGRAMS = Integer.getInteger("programs", 1_000);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@AfterEach
	void threadsEnd() {
		assertThat(this.threads.shutdownNow()).isEmpty();
	}

	@Test
	void tellTheStoriesOfAModel() throws Exception {
		// the same for each build; -Dseed and -Dprograms try others
		long seed = Long.getLong("seed", 1);
		int cancelled = 0;
		for (int i = 0; i < PROGRAMS; i++) {
			Random random = new Random(seed + i);
			List<RandomProgram> programs = new ArrayList<>();
			for (int call = 1; call <= 1 + random.nextInt(4); call++) {
				programs.add(RandomProgram.random("c" + call, random));
			}
			Map<String, List<String>> stories = new Run(programs).stories();
			for (RandomProgram program : programs) {
				List<String> expected = RandomProgram.Model.run(program);
				assertThat(stories.get(program.id())).as("seed %d: %s", seed + i, program).isEqualTo(expected);
				cancelled += (int) expected.stream()
					.filter((line) -> line.matches(".*(CANCELLED|INTERRUPTED).*"))
					.count();
			}
		}
		assertThat(cancelled).isGreaterThan(PROGRAMS / 10);
	}

	/** Some calls that begin at once, on threads of their own. */
	private final class Run {

		private final VirtualTime time = new VirtualTime().patience(Duration.ofSeconds(5));

		private final Map<String, Collection<String>> lines = new ConcurrentHashMap<>();

		/* Calls of which nothing more is told, though work of theirs goes on. */
		private final Map<String, Boolean> over = new ConcurrentHashMap<>();

		private final Map<String, Cancellable> cancellations = new ConcurrentHashMap<>();

		private final CountDownLatch ended;

		Run(List<RandomProgram> programs) throws Exception {
			this.ended = new CountDownLatch(programs.size());
			try (VirtualTime.Hold hold = this.time.hold()) {
				assertThat(hold).isNotNull();
				for (RandomProgram program : programs) {
					start(program);
				}
			}
			assertThat(this.ended.await(30, TimeUnit.SECONDS)).isTrue();
		}

		private void start(RandomProgram program) throws Exception {
			this.lines.put(program.id(), new ConcurrentLinkedQueue<>());
			CountDownLatch begun = new CountDownLatch(1);
			CompletableFuture<Thread> thread = new CompletableFuture<>();
			CompletableFuture<CompletableFuture<?>> result = new CompletableFuture<>();
			Future<?> unused = RandomProgramsTests.this.threads.submit(() -> {
				thread.complete(Thread.currentThread());
				if (program.async()) {
					result.complete(async(program, begun));
				}
				else {
					blocking(program, begun);
				}
			});
			assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
			if (program.cancelled() != null && program.async()) {
				CompletableFuture<?> future = result.get(30, TimeUnit.SECONDS);
				schedule(program, () -> future.cancel(true));
			}
			else if (program.cancelled() != null) {
				schedule(program, thread.join()::interrupt);
			}
		}

		private void schedule(RandomProgram program, Runnable cancel) {
			// one that did nothing would let the clock stand
			Cancellable before = this.cancellations.put(program.id(),
					this.time.schedule(cancel, program.cancelled() * 1_000_000 + 500_000));
			if (before != null) {
				this.cancellations.get(program.id()).cancel();
			}
		}

		Map<String, List<String>> stories() {
			Map<String, List<String>> stories = new LinkedHashMap<>();
			this.lines.forEach((id, told) -> stories.put(id, told.stream().sorted().toList()));
			return stories;
		}

		private String blocking(RandomProgram program, CountDownLatch begun) {
			try {
				return retry(program, begun).call(() -> {
					RandomProgram.Step step = attempt(program);
					List<CompletableFuture<String>> inner = new ArrayList<>();
					for (RandomProgram call : step.inner()) {
						if (call.async()) {
							inner.add(async(call, begun));
						}
						else {
							blocking(call, begun);
						}
					}
					for (CompletableFuture<String> call : inner) {
						call.get();
					}
					return end(step);
				});
			}
			catch (Exception ex) {
				return "failed";
			}
		}

		private CompletableFuture<String> async(RandomProgram program, CountDownLatch begun) {
			CompletableFuture<String> result = retry(program, begun).callAsync(() -> {
				RandomProgram.Step step = attempt(program);
				CompletableFuture<?>[] inner = step.inner()
					.stream()
					.map((call) -> async(call, begun))
					.toArray(CompletableFuture<?>[]::new);
				return CompletableFuture.allOf(inner).thenApply((done) -> {
					try {
						return end(step);
					}
					catch (IOException ex) {
						throw new CompletionException(ex);
					}
				});
			});
			// the one that is cancelled, and one that never fails
			return program.id().contains(".") ? result.handle((value, failure) -> "") : result;
		}

		private RandomProgram.Step attempt(RandomProgram program) throws InterruptedException {
			int number = Attempt.current().number();
			tell(program, "attempt " + number);
			RandomProgram.Step step = program.steps().get(number - 1);
			this.time.sleep(Duration.ofMillis(step.takes()));
			return step;
		}

		private static String end(RandomProgram.Step step) throws IOException {
			if (step.fails()) {
				throw new IOException("down");
			}
			return "done";
		}

		private void tell(RandomProgram program, String what) {
			String outermost = program.id().split("\\.", -1)[0];
			if (!this.over.containsKey(outermost)) {
				this.lines.get(outermost)
					.add(RandomProgram.Model.line(this.time.elapsed().toNanos() / 1e6, program, what));
			}
		}

		private Retry retry(RandomProgram program, CountDownLatch begun) {
			RetryPolicyBuilder policy = RetryPolicy.builder(program.id())
				.base(Duration.ofMillis(program.base()))
				.cap(Duration.ofDays(1))
				.jitter(Jitter.none())
				.maxAttempts(program.steps().size());
			if (program.attemptTimeout() != null) {
				policy.attemptTimeout(Duration.ofMillis(program.attemptTimeout()));
			}
			return Retry.builder(policy.build())
				.time(this.time)
				.executor(RandomProgramsTests.this.threads)
				.observer((name, method) -> new Told(program, begun))
				.observer(new BackoffCalls(this.time))
				.build();
		}

		/** Tells of the beginning and the end of a call. */
		private final class Told implements CallObserver.ObservedCall {

			private final RandomProgram program;

			private final CountDownLatch begun;

			Told(RandomProgram program, CountDownLatch begun) {
				this.program = program;
				this.begun = begun;
			}

			@Override
			public CallObserver.Scope open() {
				return () -> {
				};
			}

			@Override
			public CallObserver.ObservedAttempt attemptBegins(int number) {
				// after the clock knows the call
				this.begun.countDown();
				return new CallObserver.ObservedAttempt() {

					@Override
					public CallObserver.Scope open() {
						return Told.this.open();
					}

					@Override
					public void ends(dev.backoff.event.AttemptOutcome outcome, @Nullable Throwable failure) {
					}

				};
			}

			@Override
			public void waitBegins(DelaySource source, long nanos) {
			}

			@Override
			public void ends(StopReason reason, int attempts, RetryEvent.RecoveryOutcome recovery,
					@Nullable Throwable thrown) {
				tell(this.program, reason + " after " + attempts);
				Cancellable cancellation = Run.this.cancellations.put(this.program.id(), () -> {
				});
				if (cancellation != null) {
					cancellation.cancel();
				}
				if (reason == StopReason.CANCELLED) {
					Run.this.over.put(this.program.id(), true);
				}
				if (!this.program.id().contains(".")) {
					Run.this.ended.countDown();
				}
			}

		}

	}

}
