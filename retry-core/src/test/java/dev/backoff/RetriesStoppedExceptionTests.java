package dev.backoff;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.backoff.delay.Jitter;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class RetriesStoppedExceptionTests {

	private final VirtualTime time = new VirtualTime();

	@Test
	void isReadFromTheFailureThatCarriesIt() {
		IOException failure = new IOException("reset");
		failure.addSuppressed(new IllegalStateException("something else"));
		assertThat(RetriesStoppedException.of(failure)).isNull();
		Retry retry = Retry.builder(RetryPolicy.builder("p").build()).time(this.time).build();
		assertThatThrownBy(() -> retry.call(ScriptedOperation.script().fails(failure))).isSameAs(failure);
		assertThat(RetriesStoppedException.of(failure)).isNotNull()
			.extracting(RetriesStoppedException::attempts)
			.isEqualTo(4);
	}

	@Test
	void isReadFromWhatFuturesWrapAroundAFailure() {
		Retry retry = Retry.builder(RetryPolicy.builder("p").maxAttempts(1).build()).time(this.time).build();
		IOException failure = new IOException("reset");
		Throwable joined = catchThrowable(
				() -> retry.callAsync(() -> CompletableFuture.<String>failedFuture(failure)).join());
		assertThat(joined).isInstanceOf(CompletionException.class);
		assertThat(RetriesStoppedException.of(joined)).isSameAs(RetriesStoppedException.of(failure)).isNotNull();
		assertThat(RetriesStoppedException.of(new CompletionException(new IOException("another")))).isNull();
	}

	@Test
	void isReadFromWhatARecoveryThrew() {
		Retry retry = Retry.builder(RetryPolicy.builder("p").build()).time(this.time).build();
		IOException failure = new IOException("reset");
		IllegalStateException thrown = new IllegalStateException("gave up");
		assertThatThrownBy(() -> retry.<String, IOException>call(() -> {
			throw failure;
		}, (operation, stopped) -> {
			throw thrown;
		})).isSameAs(thrown);
		assertThat(RetriesStoppedException.of(thrown)).isSameAs(RetriesStoppedException.of(failure)).isNotNull();
	}

	static Stream<Arguments> stories() {
		RetryPolicyBuilder unlimited = policy().maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS)
			.deadline(Duration.ofSeconds(1));
		FailureClassification hinted = FailureClassification.transientFailure(RetryCause.HTTP_503)
			.withHint(Duration.ofSeconds(2));
		return Stream.of(
				arguments(policy(), 12,
						"4 of 4 attempts in 748 ms: ATTEMPTS_EXHAUSTED "
								+ "(policy p; waits 100 ms, 200 ms, 400 ms; attempts 12 ms, 12 ms, 12 ms, 12 ms)"),
				arguments(policy().maxAttempts(1), 0,
						"1 of 1 attempt in 0 ms: ATTEMPTS_EXHAUSTED (policy p; attempts 0 ms)"),
				arguments(policy().maxAttempts(6), 1,
						"6 of 6 attempts in 3.11 s: ATTEMPTS_EXHAUSTED (policy p; waits 100 ms, 200 ms, 400 ms, "
								+ "800 ms, 1.6 s; attempts 1 ms, 1 ms, 1 ms, 1 ms, 1 ms, 1 ms)"),
				arguments(policy().maxAttempts(9), 1,
						"9 of 9 attempts in 22.7 s: ATTEMPTS_EXHAUSTED (policy p; waits 100 ms, 200 ms, 400 ms, "
								+ "…, 3.2 s, 6.4 s, 10 s; attempts 1 ms, 1 ms, 1 ms, …, 1 ms, 1 ms, 1 ms)"),
				arguments(unlimited, 5,
						"4 attempts in 720 ms: DEADLINE, the next wait of 800 ms does not fit into the 280 ms left "
								+ "(policy p; waits 100 ms, 200 ms, 400 ms; attempts 5 ms, 5 ms, 5 ms, 5 ms)"),
				arguments(policy().maxAttempts(2).classifiers(List.of((failure) -> hinted)), 0,
						"2 of 2 attempts in 2.1 s: ATTEMPTS_EXHAUSTED (policy p; waits 2.1 s (hint); "
								+ "attempts 0 ms, 0 ms)"));
	}

	@ParameterizedTest
	@MethodSource("stories")
	void tellsItsStory(RetryPolicyBuilder policy, long attemptMillis, String report) {
		assertThat(storyOf(policy, attemptMillis)).hasMessage("Stopped after " + report);
	}

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("p").jitter(Jitter.none());
	}

	@Test
	void carriesItsNumbers() {
		RetriesStoppedException report = storyOf(RetryPolicy.builder("orders").jitter(Jitter.none()).maxAttempts(2),
				30);
		assertThat(report.policy()).isEqualTo("orders");
		assertThat(report.method()).isEqualTo("OrderService.place");
		assertThat(report.reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		assertThat(report.attempts()).isEqualTo(2);
		assertThat(report.maxAttempts()).isEqualTo(2);
		assertThat(report.elapsed()).isEqualTo(Duration.ofMillis(160));
		assertThat(report.waits())
			.containsExactly(new RetriesStoppedException.Wait(Duration.ofMillis(100), DelaySource.POLICY));
		assertThat(report.attemptTimes()).containsExactly(Duration.ofMillis(30), Duration.ofMillis(30));
		assertThat(report.failure()).hasMessage("failed");
		assertThat(report.lastResult()).isNull();
		assertThat(report.idempotencyKey()).isNull();
		assertThat(report).hasNoCause();
		assertThat(report.getStackTrace()).isEmpty();
		assertThat(report.getSuppressed()).isEmpty();
	}

	@Test
	void carriesTheKeyIfAnAttemptUsedIt() {
		String[] key = new String[1];
		RecordingListener listener = new RecordingListener();
		Retry retry = Retry.builder(RetryPolicy.builder("p").maxAttempts(1).build()).listener(listener).build();
		assertThatThrownBy(() -> retry.call(ScriptedOperation.script().does(() -> {
			key[0] = Attempt.current().idempotencyKey();
			throw new IOException();
		}))).isInstanceOf(IOException.class);
		assertThat(listener.report().idempotencyKey()).isEqualTo(key[0]).hasSize(36);
	}

	@Test
	void keepsItsMessageAndCauseWhenSerialized() throws Exception {
		RetriesStoppedException report = storyOf(RetryPolicy.builder("p").maxAttempts(1), 0);
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
			out.writeObject(report);
		}
		try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
			RetriesStoppedException read = (RetriesStoppedException) in.readObject();
			assertThat(read).hasMessage(report.getMessage());
			assertThat(read.settledSince(Long.MIN_VALUE)).isFalse();
			assertThat(read.host()).isNull();
			assertThatIllegalStateException().isThrownBy(read::attempts)
				.withMessage("A serialized report carries only its message and its cause.");
		}
	}

	private RetriesStoppedException storyOf(RetryPolicyBuilder policy, long attemptMillis) {
		RecordingListener listener = new RecordingListener();
		Retry retry = Retry.builder(policy.build())
			.method("OrderService.place")
			.time(this.time)
			.random(RandomSources.middle())
			.listener(listener)
			.build();
		IOException failure = new IOException("failed");
		ScriptedOperation<String> operation = ScriptedOperation.<String>script()
			.fails(failure)
			.taking(Duration.ofMillis(attemptMillis), this.time);
		assertThatThrownBy(() -> retry.call(operation)).isSameAs(failure);
		assertThat(failure.getSuppressed()).containsExactly(listener.report());
		return listener.report();
	}

}
