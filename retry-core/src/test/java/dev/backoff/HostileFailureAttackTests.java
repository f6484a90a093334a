package dev.backoff;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serial;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import dev.backoff.delay.Jitter;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.Causes;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Failures that misbehave themselves. */
class HostileFailureAttackTests {

	private final VirtualTime time = new VirtualTime();

	private final RecordingListener listener = new RecordingListener();

	@Test
	void aFailureThatThrowsFromAllItCanOverrideIsThrownAsItIs() {
		for (Throwable failure : List.of(new Hostile(), new HostileToItself())) {
			this.listener.clear();
			assertThatThrownBy(() -> retry(policy().build()).call(() -> {
				throw failure;
			})).isSameAs(failure);
			assertThat(this.listener.stopped()).hasSize(1);
		}
	}

	@Test
	void aFailureWithHostileCauseIsRecoveredFrom() throws Exception {
		String result = retry(policy().build()).<String, Exception>call(() -> {
			throw new Hostile();
		}, (context, stopped) -> "recovered");
		assertThat(result).isEqualTo("recovered");
	}

	@Test
	void aRecoveryMayThrowHostileFailures() {
		Hostile own = new Hostile();
		assertThatThrownBy(() -> retry(policy().build()).<String, Exception>call(() -> {
			throw new IOException("down");
		}, (context, stopped) -> {
			throw own;
		})).isSameAs(own);
	}

	@Test
	void aChainOfCausesWithoutEndIsWalkedInBounds() {
		assertThatThrownBy(
				() -> retry(policy().abortOn(ArithmeticException.class).retryOn(Endless.class).build()).call(() -> {
					throw new Endless();
				}))
			.isInstanceOf(Endless.class);
		assertThat(this.time.delays()).hasSize(2);
	}

	@Test
	void twentyThousandCausesAreNoBurden() {
		Throwable deep = new IOException("root");
		for (int i = 0; i < 20_000; i++) {
			deep = new IOException("link", deep);
		}
		Throwable failure = deep;
		assertThatThrownBy(() -> retry(policy().build()).call(() -> {
			throw failure;
		})).isSameAs(failure);
		assertThat(this.time.delays()).hasSize(2);
	}

	@Test
	void aCycleOfCausesIsWalkedOnce() {
		IOException one = new IOException("one");
		IOException other = new IOException("other", one);
		one.initCause(other);
		assertThatThrownBy(() -> retry(policy().build()).call(() -> {
			throw one;
		})).isSameAs(one);
		assertThat(this.time.delays()).hasSize(2);
	}

	@Test
	void everyKindOfErrorPassesAsItIs() {
		for (Error error : List.of(new StackOverflowError(), new OutOfMemoryError("simulated"),
				new AssertionError("assertion"), new NoClassDefFoundError("x"), new InternalError(), new Error("plain"),
				new ExceptionInInitializerError("x"))) {
			this.listener.clear();
			assertThatThrownBy(() -> retry(policy().retryOn(Throwable.class).build()).<String, Exception>call(() -> {
				throw error;
			}, (context, stopped) -> "recovered")).isSameAs(error);
			assertThat(this.listener.story().attempts()).isEqualTo(1);
		}
		assertThat(Attempt.isRunning()).isFalse();
	}

	@Test
	void aThrowableThatIsNeitherExceptionNorErrorPasses() {
		Throwable odd = new Throwable("odd");
		assertThatThrownBy(() -> retry(policy().build()).call(() -> {
			throw odd;
		})).isSameAs(odd);
	}

	@Test
	void aSharedInstanceIn64ThreadsGathersNothing() throws Exception {
		IOException shared = new IOException("shared");
		AtomicInteger calls = new AtomicInteger();
		ExecutorService pool = Executors.newFixedThreadPool(64);
		try {
			List<Future<?>> done = new ArrayList<>();
			for (int i = 0; i < 64; i++) {
				done.add(pool.submit(() -> {
					Retry retry = Retry.builder(policy().build()).time(new VirtualTime()).build();
					for (int j = 0; j < 50; j++) {
						assertThatThrownBy(() -> retry.call(() -> {
							calls.incrementAndGet();
							throw shared;
						})).isSameAs(shared);
					}
				}));
			}
			for (Future<?> future : done) {
				future.get(60, TimeUnit.SECONDS);
			}
		}
		finally {
			pool.shutdownNow();
		}
		assertThat(shared.getSuppressed()).hasSize(1);
		assertThat(calls).hasValue(64 * 50 * 3);
	}

	@Test
	void aClassifierThatWrapsTheFailureMakesNoCircle() {
		IOException failure = new IOException("down");
		assertThatThrownBy(() -> retry(policy().classifiers(List.of((thrown) -> {
			throw new IllegalStateException("wrapped", thrown);
		})).build()).call(() -> {
			throw failure;
		})).isSameAs(failure);
		RetriesStoppedException story = this.listener.story();
		assertThat(Causes.of(story)).noneMatch((cause) -> cause == failure);
	}

	@Test
	void aMarkThatCameOverTheWireIsNoneOfOurs() throws Exception {
		IOException original = new IOException("remote");
		assertThatThrownBy(() -> retry(policy().build()).call(() -> {
			throw original;
		})).isSameAs(original);
		IOException copy = copy(original);
		this.listener.clear();
		VirtualTime early = VirtualTime.startingAt(-Duration.ofHours(1).toNanos());
		ScriptedOperation<String> operation = ScriptedOperation.<String>script().fails(copy);
		assertThatExceptionOfType(IOException.class).isThrownBy(
				() -> Retry.builder(policy().build()).time(early).listener(this.listener).build().call(operation));
		assertThat(operation.calls()).isEqualTo(3);
		assertThat(this.listener.story().reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
	}

	@Test
	void aSerializedStoryAnswersWithoutFailing() throws Exception {
		IOException original = new IOException("remote");
		assertThatThrownBy(() -> retry(policy().build()).call(() -> {
			throw original;
		})).isSameAs(original);
		RetriesStoppedException story = RetriesStoppedException.of(copy(original));
		assertThat(story).isNotNull();
		assertThat(story.toString()).contains("Stopped after 3 of 3 attempts");
	}

	private Retry retry(RetryPolicy policy) {
		return Retry.builder(policy).time(this.time).listener(this.listener).build();
	}

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("attack").maxAttempts(3).jitter(Jitter.none());
	}

	@SuppressWarnings({ "unchecked", "BanSerializableRead" }) // our own bytes
	private static <T> T copy(T object) throws IOException, ClassNotFoundException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (ObjectOutputStream output = new ObjectOutputStream(bytes)) {
			output.writeObject(object);
		}
		try (ObjectInputStream input = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
			return (T) input.readObject();
		}
	}

	private static class Hostile extends RuntimeException {

		@Serial
		private static final long serialVersionUID = 1L;

		@Override
		public synchronized Throwable getCause() {
			throw new IllegalStateException("getCause");
		}

		@Override
		public String getMessage() {
			throw new IllegalStateException("getMessage");
		}

		@Override
		public String toString() {
			throw new IllegalStateException("toString");
		}

		@Override
		public boolean equals(Object other) {
			throw new IllegalStateException("equals");
		}

		@Override
		public int hashCode() {
			throw new IllegalStateException("hashCode");
		}

	}

	private static final class HostileToItself extends RuntimeException {

		@Serial
		private static final long serialVersionUID = 1L;

		@Override
		public synchronized Throwable getCause() {
			throw this;
		}

	}

	private static final class Endless extends Exception {

		@Serial
		private static final long serialVersionUID = 1L;

		@Override
		public synchronized Throwable getCause() {
			return new Endless();
		}

	}

}
