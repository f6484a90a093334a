package dev.backoff;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.backoff.delay.Jitter;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;
import dev.backoff.fixture.Hostile;
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
						.recorder(new Hostile(() -> bug))
						.listener(before)
						.listener(new Hostile(() -> bug))
						.listener(after));
			assertThat(broken).as(scenario).isEqualTo(plain);
			assertThat(brokenTime.delays()).as(scenario).isEqualTo(plainTime.delays());
		}
		assertThat(after.events()).filteredOn((event) -> !(event instanceof RetryEvent.HookFailed))
			.hasSameSizeAs(
					before.events().stream().filter((event) -> !(event instanceof RetryEvent.HookFailed)).toList())
			.isNotEmpty();
		assertThat(before.hookFailures()).extracting(RetryEvent.HookFailed::hook)
			.contains("recorder", "listener " + Hostile.class.getName(), "until condition");
		assertThat(before.hookFailures()).allMatch((event) -> event.failure() == bug);
		assertThat(before.hookFailures()).containsExactlyElementsOf(after.hookFailures());
	}

	@Test
	void aRecorderMayThrowAnErrorOfTheVirtualMachineToo() {
		RecordingListener listener = new RecordingListener();
		RetryBuilder builder = Retry.builder(policy(null))
			.time(new VirtualTime())
			.recorder(new Hostile(OutOfMemoryError::new))
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

	private static RetryPolicy policy(Throwable bug) {
		return RetryPolicy.builder("p")
			.maxAttempts(3)
			.jitter(Jitter.equal())
			.retryWhen((result, context) -> "bad".equals(result))
			.until((bug == null) ? null : (result, context) -> {
				throw Hostile.<RuntimeException>sneak(bug);
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

}
