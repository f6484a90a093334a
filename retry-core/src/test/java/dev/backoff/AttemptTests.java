package dev.backoff;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.delay.Jitter;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class AttemptTests {

	private final VirtualTime time = new VirtualTime();

	@Nested
	class Outside {

		@Test
		void isTheOnlyOne() {
			Attempt attempt = Attempt.current();
			assertThat(Attempt.isRunning()).isFalse();
			assertThat(attempt.number()).isEqualTo(1);
			assertThat(attempt.maximum()).hasValue(1);
			assertThat(attempt.previousFailure()).isNull();
			assertThat(attempt.timeLeft()).isNull();
			assertThat(attempt).hasToString("attempt 1 of 1");
		}

		@Test
		void hasANewKeyEachTime() {
			assertThat(Attempt.current().idempotencyKey()).hasSize(36).isNotEqualTo(Attempt.current().idempotencyKey());
		}

	}

	@Nested
	class Inside {

		@Test
		void countsFromOneAndKnowsWhatFailed() throws Exception {
			IOException first = new IOException("first");
			IOException second = new IOException("second");
			ScriptedOperation<String> operation = ScriptedOperation.<String>script()
				.fails(first)
				.fails(second)
				.returns("done");
			retry(policy().build()).call(operation);
			assertThat(operation.attempts()).extracting(Attempt::number).containsExactly(1, 2, 3);
			assertThat(operation.attempts()).extracting((attempt) -> (Object) attempt.previousFailure())
				.containsExactly(null, first, second);
			assertThat(operation.attempts()).allMatch((attempt) -> attempt.maximum().orElse(0) == 4);
			assertThat(operation.attempts().get(1)).hasToString("attempt 2 of 4");
		}

		@Test
		void hasNoPreviousFailureAfterAResult() throws Exception {
			ScriptedOperation<String> operation = ScriptedOperation.<String>script()
				.fails(new IOException())
				.returns("bad")
				.returns("good");
			retry(policy().retryWhen((result, context) -> "bad".equals(result)).build()).call(operation);
			assertThat(operation.attempts().get(1).previousFailure()).isNotNull();
			assertThat(operation.attempts().get(2).previousFailure()).isNull();
		}

		@Test
		void hasNoMaximumWithoutALimit() throws Exception {
			ScriptedOperation<String> operation = ScriptedOperation.<String>script().returns("done");
			retry(policy().maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS).build()).call(operation);
			assertThat(operation.attempts().get(0).maximum()).isEmpty();
			assertThat(operation.attempts().get(0)).hasToString("attempt 1");
		}

		@Test
		void knowsTheTimeLeft() throws Exception {
			List<Duration> left = new ArrayList<>();
			ScriptedOperation<String> operation = ScriptedOperation.<String>script().does(() -> {
				left.add(Attempt.current().timeLeft());
				AttemptTests.this.time.advance(Duration.ofMillis(50));
				throw new IOException();
			}).does(() -> {
				left.add(Attempt.current().timeLeft());
				AttemptTests.this.time.advance(Duration.ofSeconds(5));
				left.add(Attempt.current().timeLeft());
				return "late";
			});
			retry(policy().deadline(Duration.ofSeconds(1)).build()).call(operation);
			assertThat(left).containsExactly(Duration.ofSeconds(1), Duration.ofMillis(850), Duration.ZERO);
		}

		@Test
		void tellsWhetherItHasAskedForItsKey() {
			Set<String> keys = new HashSet<>();
			retry(policy().build()).run(() -> {
				assertThat(Attempt.current().usedIdempotencyKey()).isNull();
				if (Attempt.current().number() != 2) {
					String key = Attempt.current().idempotencyKey();
					assertThat(Attempt.current().usedIdempotencyKey()).isEqualTo(key);
					keys.add(key);
				}
				if (Attempt.current().number() < 3) {
					throw new UncheckedIOException(new IOException("down"));
				}
			});
			assertThat(keys).hasSize(1);
		}

		@Test
		void keepsItsKeyForAllAttemptsAndNoOtherCall() throws Exception {
			List<String> keys = new ArrayList<>();
			Operation<String, IOException> operation = () -> {
				keys.add(Attempt.current().idempotencyKey());
				if (Attempt.current().number() < 3) {
					throw new IOException();
				}
				return "done";
			};
			Retry retry = retry(policy().build());
			retry.call(operation);
			retry.call(operation);
			assertThat(keys).hasSize(6);
			assertThat(keys.subList(0, 3)).containsOnly(keys.get(0));
			assertThat(keys.subList(3, 6)).containsOnly(keys.get(3));
			assertThat(keys.get(0)).isNotEqualTo(keys.get(3));
		}

		@Test
		void isASnapshot() throws Exception {
			List<Attempt> kept = new ArrayList<>();
			retry(policy().build()).call(() -> {
				kept.add(Attempt.current());
				if (kept.size() < 2) {
					throw new IOException();
				}
				return "done";
			});
			assertThat(kept.get(0).number()).isEqualTo(1);
			String key = kept.get(0).idempotencyKey();
			assertThat(kept.get(1).idempotencyKey()).isEqualTo(key);
		}

	}

	@Test
	void nestedCallsShowTheInnermostAndGiveTheOuterBack() throws Exception {
		List<String> seen = new ArrayList<>();
		Retry outer = retry(policy().maxAttempts(7).build());
		Retry inner = retry(policy().maxAttempts(3).build());
		outer.call(() -> {
			String key = Attempt.current().idempotencyKey();
			seen.add(Attempt.current().toString());
			assertThatThrownBy(() -> inner.call(() -> {
				seen.add(Attempt.current().toString());
				assertThat(Attempt.current().idempotencyKey()).isNotEqualTo(key);
				throw new IOException();
			})).isInstanceOf(IOException.class);
			seen.add(Attempt.current().toString());
			assertThat(Attempt.current().idempotencyKey()).isEqualTo(key);
			return "done";
		});
		assertThat(seen).containsExactly("attempt 1 of 7", "attempt 1 of 3", "attempt 2 of 3", "attempt 3 of 3",
				"attempt 1 of 7");
		assertThat(Attempt.isRunning()).isFalse();
	}

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("p").jitter(Jitter.none());
	}

	private Retry retry(RetryPolicy policy) {
		return Retry.builder(policy).time(this.time).build();
	}

}
