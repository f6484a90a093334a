package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.delay.Jitter;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Calls within attempts of other calls. */
class NestedCallTests {

	private final VirtualTime time = new VirtualTime();

	private final RecordingListener listener = new RecordingListener();

	private final IOException failure = new IOException("leaf");

	private final ScriptedOperation<String> leaf = ScriptedOperation.<String>script().fails(this.failure);

	private final Retry inner = Retry.builder(policy().build()).time(this.time).build();

	@Nested
	class ByIdentity {

		@Test
		void aFailureIsRetriedByTheInnermostOnly() {
			Retry outer = outer(policy().build());
			Retry middle = Retry.builder(policy().build()).time(NestedCallTests.this.time).build();
			assertThatThrownBy(() -> outer
				.call(() -> middle.call(() -> NestedCallTests.this.inner.call(NestedCallTests.this.leaf))))
				.isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(3);
			assertThat(NestedCallTests.this.listener.story()).hasMessageContaining(
					"Stopped after 1 of 3 attempts in 300 ms: NESTED, a call inside has already retried it");
			assertThat(NestedCallTests.this.failure.getSuppressed()).hasSize(1);
		}

		@Test
		void aWrappedFailureIsFoundByItsCause() {
			assertThatThrownBy(() -> outer(policy().build()).call(() -> {
				try {
					return NestedCallTests.this.inner.call(NestedCallTests.this.leaf);
				}
				catch (IOException ex) {
					throw new IllegalStateException("wrapped", new RuntimeException(ex));
				}
			})).isInstanceOf(IllegalStateException.class);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.NESTED);
		}

		@Test
		void anInterruptionInsideEndsTheOuterCallAsOne() {
			NestedCallTests.this.time.interruptSleep(1);
			try {
				assertThatThrownBy(() -> outer(policy().build()).<String, Exception>call(
						() -> NestedCallTests.this.inner.call(NestedCallTests.this.leaf),
						(context, stopped) -> "recovered"))
					.isSameAs(NestedCallTests.this.failure);
			}
			finally {
				assertThat(Thread.interrupted()).isTrue();
			}
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.INTERRUPTED);
		}

		@Test
		void aFailureThatCarriesNoMarkIsFound() {
			ScriptedOperation<String> stackless = ScriptedOperation.<String>script()
				.fails(new BlockingDriverTests.StacklessException());
			assertThatThrownBy(() -> outer(policy().build()).call(() -> NestedCallTests.this.inner.call(stackless)))
				.isInstanceOf(BlockingDriverTests.StacklessException.class);
			assertThat(stackless.calls()).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.NESTED);
		}

		@Test
		void whatARecoveryThrewIsFound() {
			BlockingDriverTests.StacklessException own = new BlockingDriverTests.StacklessException();
			assertThatThrownBy(() -> outer(policy().build()).call(() -> NestedCallTests.this.inner
				.<String, Exception>call(NestedCallTests.this.leaf, (context, stopped) -> {
					throw own;
				}))).isSameAs(own);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.NESTED);
		}

		@Test
		void aFailureOfTheOuterItselfIsRetried() {
			IOException own = new IOException("own");
			int[] calls = new int[1];
			assertThatThrownBy(() -> outer(policy().build()).call(() -> {
				calls[0]++;
				assertThatThrownBy(() -> NestedCallTests.this.inner.call(NestedCallTests.this.leaf))
					.isSameAs(NestedCallTests.this.failure);
				throw own;
			})).isSameAs(own);
			assertThat(calls[0]).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void aFailureOfAnEarlierAttemptIsRetried() {
			int[] calls = new int[1];
			BlockingDriverTests.StacklessException shared = new BlockingDriverTests.StacklessException();
			assertThatThrownBy(() -> outer(policy().maxAttempts(5).build()).call(() -> {
				if (++calls[0] == 1) {
					assertThatThrownBy(() -> NestedCallTests.this.inner.call(() -> {
						throw shared;
					})).isSameAs(shared);
					throw new IOException();
				}
				throw shared;
			})).isSameAs(shared);
			assertThat(calls[0]).isEqualTo(5);
		}

		@Test
		void theFirstOfManyIsFoundByItsMark() {
			IOException first = new IOException("first");
			int[] calls = new int[1];
			assertThatThrownBy(() -> outer(policy().build()).call(() -> {
				calls[0]++;
				NestedCallTests.this.time.advance(Duration.ofMillis(1));
				assertThatThrownBy(() -> NestedCallTests.this.inner.call(() -> {
					throw first;
				})).isSameAs(first);
				for (int i = 0; i < 100; i++) {
					assertThatThrownBy(() -> NestedCallTests.this.inner.call(() -> {
						throw new IOException();
					})).isInstanceOf(IOException.class);
				}
				throw first;
			})).isSameAs(first);
			assertThat(calls[0]).isEqualTo(1);
		}

	}

	@Nested
	class ByMark {

		@Test
		void aFailureFromAnotherThreadIsFound() {
			int[] calls = new int[1];
			assertThatThrownBy(() -> outer(policy().build()).call(() -> {
				calls[0]++;
				NestedCallTests.this.time.advance(Duration.ofMillis(1));
				throw onAnotherThread();
			})).isSameAs(NestedCallTests.this.failure);
			assertThat(calls[0]).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.NESTED);
		}

		@Test
		void anInstanceThatAnEarlierCallMarkedIsRetried() throws InterruptedException {
			Exception marked = onAnotherThread();
			NestedCallTests.this.time.advance(Duration.ofMillis(1));
			assertRetried(marked);
		}

		@Test
		void anInstanceMarkedAtTheSameTickIsRetried() {
			IOException shared = new IOException();
			for (int call = 0; call < 2; call++) {
				NestedCallTests.this.listener.clear();
				assertThatThrownBy(() -> outer(policy().maxAttempts(1).build()).call(() -> {
					throw shared;
				})).isSameAs(shared);
				assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			}
		}

		private void assertRetried(Exception marked) {
			int[] calls = new int[1];
			assertThatThrownBy(() -> outer(policy().build()).call(() -> {
				calls[0]++;
				throw marked;
			})).isSameAs(marked);
			assertThat(calls[0]).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		private Exception onAnotherThread() throws InterruptedException {
			AtomicReference<Exception> thrown = new AtomicReference<>();
			Thread other = new Thread(() -> {
				try {
					NestedCallTests.this.inner.call(NestedCallTests.this.leaf);
				}
				catch (Exception ex) {
					thrown.set(ex);
				}
			});
			other.start();
			other.join();
			return thrown.get();
		}

	}

	@Nested
	class Multiplied {

		@Test
		void layersMakeTheProductOfTheirAttempts() {
			Operation<String, Exception> call = NestedCallTests.this.leaf;
			for (int layer = 0; layer < 5; layer++) {
				Operation<String, Exception> below = call;
				Retry retry = Retry.builder(policy().nestedMultiply(true).build())
					.time(NestedCallTests.this.time)
					.build();
				call = () -> retry.call(below);
			}
			assertThatThrownBy(call::run).isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(243);
		}

		@Test
		void onlyWhereItIsAllowed() {
			Operation<String, Exception> call = NestedCallTests.this.leaf;
			for (int layer = 0; layer < 5; layer++) {
				Operation<String, Exception> below = call;
				Retry retry = Retry.builder(policy().build()).time(NestedCallTests.this.time).build();
				call = () -> retry.call(below);
			}
			assertThatThrownBy(call::run).isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(3);
		}

	}

	@Nested
	class Deadline {

		@Test
		void ofTheOuterBoundsTheWaitsOfTheInner() {
			Retry patient = Retry
				.builder(policy().maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS).deadline(Duration.ofSeconds(10)).build())
				.time(NestedCallTests.this.time)
				.listener(NestedCallTests.this.listener)
				.build();
			Retry hurried = Retry.builder(policy().deadline(Duration.ofSeconds(1)).build())
				.time(NestedCallTests.this.time)
				.build();
			assertThatThrownBy(() -> hurried.call(() -> patient.call(NestedCallTests.this.leaf)))
				.isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.time.elapsed()).isEqualTo(Duration.ofMillis(700));
			assertThat(reason()).isEqualTo(StopReason.DEADLINE);
		}

		@Test
		void thatHasPassedLeavesTheInnerOneAttempt() {
			Retry hurried = Retry.builder(policy().deadline(Duration.ofSeconds(1)).build())
				.time(NestedCallTests.this.time)
				.build();
			assertThatThrownBy(() -> hurried.call(() -> {
				NestedCallTests.this.time.advance(Duration.ofSeconds(2));
				return outer(policy().build()).call(NestedCallTests.this.leaf);
			})).isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.DEADLINE);
		}

		@Test
		void isForgottenAfterTheOuter() throws Exception {
			Retry.builder(policy().deadline(Duration.ofSeconds(1)).build())
				.time(NestedCallTests.this.time)
				.build()
				.call(() -> "done");
			NestedCallTests.this.time.advance(Duration.ofHours(1));
			assertThatThrownBy(() -> outer(policy().build()).call(NestedCallTests.this.leaf))
				.isSameAs(NestedCallTests.this.failure);
			assertThat(NestedCallTests.this.leaf.calls()).isEqualTo(3);
		}

	}

	@Test
	void anInterruptInsideStopsBoth() {
		this.time.interruptSleep(1);
		assertThatThrownBy(() -> outer(policy().nestedMultiply(true).build()).call(() -> this.inner.call(this.leaf)))
			.isSameAs(this.failure);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.leaf.calls()).isEqualTo(1);
	}

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("p").jitter(Jitter.none()).maxAttempts(3);
	}

	private Retry outer(RetryPolicy policy) {
		return Retry.builder(policy).time(this.time).listener(this.listener).build();
	}

	private StopReason reason() {
		return this.listener.story().reason();
	}

}
