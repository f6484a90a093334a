package dev.backoff.spring.http;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.Idempotency;
import dev.backoff.RetriesStoppedException;
import dev.backoff.Retry;
import dev.backoff.RetryPolicy;
import dev.backoff.StopReason;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.failure.BuiltInFailureClassifiers;
import dev.backoff.spring.observation.RepeatLogger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** A server that applies the work and then resets the connection. */
class AppliedWorkTests {

	private final WorkServer server = new WorkServer(2);

	private final RecordingListener listener = new RecordingListener();

	private final ApplicationContextRunner runner = HttpClients.runner()
		.withPropertyValues("backoff.http.hosts=localhost");

	@AfterEach
	void close() throws IOException {
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void isAppliedOnceIfItIsNotIdempotent(HttpClients client) {
		this.runner.run((context) -> {
			Retry retry = retry(context, Idempotency.NO);
			Throwable failure = catchThrowable(() -> post(client, context, retry));
			assertThat(this.server.applied()).hasSize(1);
			assertThat(failure).hasRootCauseInstanceOf(IOException.class);
			RetriesStoppedException story = (RetriesStoppedException) Stream.of(failure.getSuppressed())
				.filter(RetriesStoppedException.class::isInstance)
				.findFirst()
				.orElseThrow();
			assertThat(story.reason()).isEqualTo(StopReason.NOT_RETRYABLE);
			assertThat(story).hasMessageContaining("the work may have been applied and is not idempotent");
		});
	}

	@ParameterizedTest
	@EnumSource
	void isAppliedAgainIfNobodySaysMore(HttpClients client) {
		this.runner.run((context) -> {
			post(client, context, retry(context, Idempotency.ASSUMED));
			assertThat(this.server.applied()).hasSize(3);
			assertThat(this.listener.scheduled()).hasSize(2)
				.allSatisfy((event) -> assertThat(event.repeats()).isEqualTo("POST"));
		});
	}

	@ParameterizedTest
	@EnumSource
	void isAppliedUnderOneKeyIfTheServerHonoursIt(HttpClients client) {
		this.runner.run((context) -> {
			Retry retry = retry(context, Idempotency.BY_KEY);
			post(client, context, retry);
			post(client, context, retry);
			List<String> keys = this.server.values("Idempotency-Key");
			assertThat(keys).hasSize(4);
			assertThat(keys.subList(0, 3)).containsOnly(keys.get(0));
			assertThat(keys.get(0)).matches("\"[0-9a-f-]{36}\"");
			assertThat(keys.get(3)).isNotEqualTo(keys.get(0));
			assertThat(this.listener.scheduled()).hasSize(2)
				.allSatisfy((event) -> assertThat(event.repeats()).isNull());
		});
	}

	private void post(HttpClients client, AssertableApplicationContext context, Retry retry) {
		retry.call(() -> {
			client.post(context, this.server.url());
			return null;
		});
	}

	private Retry retry(AssertableApplicationContext context, Idempotency idempotency) {
		return Retry
			.builder(RetryPolicy.builder("orders")
				.base(Duration.ofMillis(100))
				.classifiers(List.of(context.getBean(BuiltInFailureClassifiers.class)))
				.idempotency(idempotency)
				.build())
			.time(new VirtualTime())
			.listener(this.listener)
			.listener(new RepeatLogger())
			.build();
	}

}
