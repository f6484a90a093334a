package dev.backoff;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.backoff.delay.Jitter;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;

/** Whatever is handed in and throws changes nothing for the caller. */
class CallEventsTests {

	static Stream<Throwable> thrown() {
		return Stream.of(new IllegalStateException("bug"), new AssertionError("bug"), new IOException("sneaky"),
				new LinkageError("bug"));
	}

	@ParameterizedTest
	@MethodSource("thrown")
	void everyHookMayThrow(Throwable bug) {
		RecordingListener before = new RecordingListener();
		RecordingListener after = new RecordingListener();
		for (String scenario : List.of("at once", "later", "never", "bad result", "recovered")) {
			VirtualTime plainTime = new VirtualTime();
			VirtualTime brokenTime = new VirtualTime();
			String plain = run(scenario, Retry.builder(policy(null)).time(plainTime).random(RandomSources.middle()));
			String broken = run(scenario,
					Retry.builder(policy(bug))
						.time(brokenTime)
						.random(RandomSources.middle())
						.recorder(new ThrowingRecorder(bug))
						.listener(before)
						.listener(new ThrowingListener(bug))
						.listener(after));
			assertThat(broken).as(scenario).isEqualTo(plain);
			assertThat(brokenTime.delays()).as(scenario).isEqualTo(plainTime.delays());
		}
		assertThat(after.events()).filteredOn((event) -> !(event instanceof RetryEvent.HookFailed))
			.hasSameSizeAs(
					before.events().stream().filter((event) -> !(event instanceof RetryEvent.HookFailed)).toList())
			.isNotEmpty();
		assertThat(before.hookFailures()).extracting(RetryEvent.HookFailed::hook)
			.contains("recorder", "listener " + ThrowingListener.class.getName(), "until condition");
		assertThat(before.hookFailures()).allMatch((event) -> event.failure() == bug);
		assertThat(before.hookFailures()).containsExactlyElementsOf(after.hookFailures());
	}

	@Test
	void aRecorderMayThrowAnErrorOfTheVirtualMachineToo() {
		RecordingListener listener = new RecordingListener();
		RetryBuilder builder = Retry.builder(policy(null))
			.time(new VirtualTime())
			.recorder(new ThrowingRecorder(new OutOfMemoryError()))
			.listener(new RetryListener() {

				@Override
				public void onHookFailure(RetryEvent.HookFailed event) {
					throw new OutOfMemoryError();
				}

			})
			.listener(listener);
		assertThat(run("later", builder)).isEqualTo("good after 2");
		assertThat(listener.hookFailures()).isNotEmpty();
	}

	@Test
	void tellsListenersInOrder() {
		List<String> told = new ArrayList<>();
		RetryBuilder builder = Retry.builder(policy(null)).time(new VirtualTime());
		for (String name : List.of("first", "second")) {
			builder.listener(new RetryListener() {

				@Override
				public void onRetry(RetryEvent.Scheduled event) {
					told.add(name + " retry " + event.attempt());
				}

				@Override
				public void onStop(RetryEvent.Stopped event) {
					told.add(name + " stop");
				}

			});
		}
		run("never", builder);
		assertThat(told).containsExactly("first retry 1", "second retry 1", "first retry 2", "second retry 2",
				"first stop", "second stop");
	}

	private static RetryPolicy policy(Throwable bug) {
		return RetryPolicy.builder("p")
			.maxAttempts(3)
			.jitter(Jitter.equal())
			.retryWhen((result, context) -> "bad".equals(result))
			.until((bug == null) ? null : (result, context) -> {
				throw CallEventsTests.<RuntimeException>sneak(bug);
			})
			.build();
	}

	private static String run(String scenario, RetryBuilder builder) {
		ScriptedOperation<String> operation = ScriptedOperation.script();
		switch (scenario) {
			case "at once" -> operation.returns("good");
			case "later" -> operation.fails(new IOException("later")).returns("good");
			case "bad result" -> operation.returns("bad");
			default -> operation.fails(new IOException("never"));
		}
		String end;
		try {
			end = scenario.equals("recovered")
					? builder.build().<String, Exception>call(operation, (context, stopped) -> "recovered")
					: builder.build().call(operation);
		}
		catch (Exception ex) {
			end = ex + " with " + List.of(ex.getSuppressed());
		}
		return end + " after " + operation.calls();
	}

	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" }) // always throws
	private static <X extends Throwable> RuntimeException sneak(Throwable bug) throws X {
		throw (X) bug;
	}

	private record ThrowingListener(Throwable bug) implements RetryListener {

		@Override
		public void onRetry(RetryEvent.Scheduled event) {
			CallEventsTests.<RuntimeException>sneak(this.bug);
		}

		@Override
		public void onSuccess(RetryEvent.Succeeded event) {
			CallEventsTests.<RuntimeException>sneak(this.bug);
		}

		@Override
		public void onStop(RetryEvent.Stopped event) {
			CallEventsTests.<RuntimeException>sneak(this.bug);
		}

		@Override
		public void onHookFailure(RetryEvent.HookFailed event) {
			CallEventsTests.<RuntimeException>sneak(this.bug);
		}

	}

	private record ThrowingRecorder(Throwable bug) implements CallRecorder {

		@Override
		public void attempt(int number, AttemptOutcome outcome, long nanos) {
			CallEventsTests.<RuntimeException>sneak(this.bug);
		}

		@Override
		public void call(StopReason reason, long nanos) {
			CallEventsTests.<RuntimeException>sneak(this.bug);
		}

		@Override
		public void waiting(DelaySource source, long nanos) {
			CallEventsTests.<RuntimeException>sneak(this.bug);
		}

		@Override
		public void waited() {
			CallEventsTests.<RuntimeException>sneak(this.bug);
		}

		@Override
		public void retry(RetryCause cause) {
			CallEventsTests.<RuntimeException>sneak(this.bug);
		}

		@Override
		public void recovered(boolean done) {
			CallEventsTests.<RuntimeException>sneak(this.bug);
		}

	}

}
