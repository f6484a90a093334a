package dev.backoff.spring.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import feign.FeignException;
import feign.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientResponseException;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.SocketServer;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** A server that applies the work and then resets the connection, twice. */
@ExtendWith(OutputCaptureExtension.class)
class AppliedWorkTests {

	private static final String WARNING = " may have been applied";

	private final WorkServer server = new WorkServer(2);

	private final ApplicationContextRunner runner = HttpClients.runner()
		.withConfiguration(AutoConfigurations.of(BackoffObservationAutoConfiguration.class))
		.withPropertyValues("backoff.http.hosts=localhost")
		.withBean(VirtualTime.class)
		.withBean(Orders.class);

	@AfterEach
	void close() throws IOException {
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void isAppliedOnceIfItIsNotIdempotent(HttpClients client) {
		this.runner.run((context) -> {
			Orders orders = context.getBean(Orders.class);
			Throwable failure = catchThrowable(() -> orders.placeOnce(() -> client.post(context, this.server.url())));
			assertThat(this.server.applied()).hasSize(1);
			assertThat(failure).hasRootCauseInstanceOf(IOException.class);
			RetriesStoppedException report = (RetriesStoppedException) Stream.of(failure.getSuppressed())
				.filter(RetriesStoppedException.class::isInstance)
				.findFirst()
				.orElseThrow();
			assertThat(report.reason()).isEqualTo(StopReason.NOT_RETRYABLE);
			assertThat(report).hasMessageContaining("the work may have been applied and is not idempotent")
				.hasMessageEndingWith("; last request to localhost:" + this.server.port() + ")");
		});
	}

	@ParameterizedTest
	@EnumSource
	void isAppliedOnceWithAWarningIfNothingIsSaid(HttpClients client, CapturedOutput output) {
		this.runner.run((context) -> {
			Orders orders = context.getBean(Orders.class);
			for (int i = 1; i <= 2; i++) {
				assertThat(catchThrowable(() -> orders.place(() -> client.post(context, this.server.url()))))
					.isNotNull();
				assertThat(this.server.applied()).hasSize(i);
			}
			assertThat(warnings(output)).isOne();
			assertThat(output).contains("the POST to localhost:" + this.server.port() + WARNING)
				.contains("this is said once for each method")
				.doesNotContain(this.server.url());
		});
	}

	@ParameterizedTest
	@CsvSource({ "idempotent=true, 3", "idempotent=by-method, 1", "classifier=none, 1", "classifier=retryAll, 1",
			"abort-on=java.lang.Error, 1" })
	void isAppliedAgainIfThePolicySaysSo(String setting, int applied, CapturedOutput output) {
		WebClient client = WebClient.create(this.server.url());
		this.runner.withPropertyValues("backoff.policies.[Orders.place]." + setting)
			.withBean("retryAll", FailureClassifier.class,
					() -> (failure) -> FailureClassification.transientFailure(RetryCause.OTHER))
			.run((context) -> {
				Throwable unused = catchThrowable(() -> context.getBean(Orders.class)
					.place(() -> client.post().bodyValue("work").retrieve().toBodilessEntity().block()));
				assertThat(this.server.applied()).hasSize(applied);
				assertThat(warnings(output)).isEqualTo(setting.startsWith("idempotent") ? 0 : 1);
			});
	}

	/* Redirects are followed by default, and nothing was sent that could redirect. */
	@ParameterizedTest
	@EnumSource
	void isSentAgainWhereNoConnectionCameAbout(HttpClients client, CapturedOutput output) {
		this.runner.run((context) -> {
			Throwable failure = catchThrowable(() -> context.getBean(Orders.class)
				.place(() -> client.post(context, "http://localhost:" + SocketServer.closedPort() + "/work")));
			assertThat(RetriesStoppedException.of(failure).attempts()).isEqualTo(4);
			assertThat(warnings(output)).isZero();
		});
	}

	@Test
	void isNotSentAgainIfALaterStepFails() throws IOException {
		try (WorkServer healthy = new WorkServer(0)) {
			this.runner.run((context) -> {
				Throwable failure = catchThrowable(() -> context.getBean(Orders.class).place(() -> {
					HttpClients.REST_CLIENT.post(context, healthy.url());
					throw new CannotGetJdbcConnectionException("no connection", new SQLTransientConnectionException());
				}));
				assertThat(failure).isInstanceOf(CannotGetJdbcConnectionException.class);
				assertThat(healthy.applied()).hasSize(1);
			});
		}
	}

	@Test
	void isAppliedOnceByKeyIfNoKeyWasSent(CapturedOutput output) {
		this.runner.withPropertyValues("backoff.http.hosts=elsewhere.example").run((context) -> {
			Throwable unused = catchThrowable(() -> context.getBean(Orders.class)
				.placeByKey(() -> HttpClients.REST_CLIENT.post(context, this.server.url())));
			assertThat(this.server.applied()).hasSize(1);
			assertThat(output).contains(WARNING + ", and no idempotency key was sent: add the host");
		});
	}

	@Test
	void isAppliedOnceByKeyIfOnlyASafeRequestMayHaveOne() {
		this.runner.withPropertyValues("backoff.http.hosts=localhost").run((context) -> {
			String elsewhere = this.server.url().replace("localhost", "127.0.0.1");
			Throwable unused = catchThrowable(() -> context.getBean(Orders.class).placeByKey(() -> {
				RestClient client = context.getBean(RestClient.Builder.class).build();
				Throwable refused = catchThrowable(() -> client.get()
					.uri("http://localhost:" + SocketServer.closedPort())
					.retrieve()
					.toBodilessEntity());
				assertThat(refused).isNotNull();
				client.post().uri(elsewhere).body("work").retrieve().toBodilessEntity();
			}));
			assertThat(this.server.applied()).hasSize(1);
		});
	}

	private static int warnings(CapturedOutput output) {
		return output.getOut().split(WARNING, -1).length - 1;
	}

	static Stream<RuntimeException> answers() {
		return Stream.of(
				WebClientResponseException.create(503, "", HttpHeaders.EMPTY, new byte[0], null,
						new MockClientHttpRequest(HttpMethod.POST, "http://pay.example/orders")),
				new FeignException.ServiceUnavailable("", Request.create(Request.HttpMethod.POST,
						"http://pay.example/orders", Map.of(), null, StandardCharsets.UTF_8, null), null, Map.of()));
	}

	@ParameterizedTest
	@MethodSource("answers")
	void isNotRepeatedWhereTheFailureNamesTheRequest(RuntimeException answer, CapturedOutput output) {
		this.runner.run((context) -> {
			assertThat(catchThrowable(() -> context.getBean(Orders.class).place(() -> {
				throw answer;
			}))).isSameAs(answer);
			assertThat(RetriesStoppedException.of(answer).host()).isEqualTo("pay.example");
			assertThat(RetriesStoppedException.of(answer).attempts()).isOne();
			assertThat(output).contains("the POST to pay.example" + WARNING);
		});
	}

	@ParameterizedTest
	@EnumSource
	void isAppliedUnderOneKeyIfTheServerHonoursIt(HttpClients client, CapturedOutput output) {
		this.runner.run((context) -> {
			Orders orders = context.getBean(Orders.class);
			orders.placeByKey(() -> client.post(context, this.server.url()));
			orders.placeByKey(() -> client.post(context, this.server.url()));
			List<String> keys = this.server.values("Idempotency-Key");
			assertThat(keys).hasSize(4);
			assertThat(keys.subList(0, 3)).containsOnly(keys.get(0));
			assertThat(keys.get(0)).matches("\"[0-9a-f-]{36}\"");
			assertThat(keys.get(3)).isNotEqualTo(keys.get(0));
			assertThat(output).doesNotContain(WARNING);
		});
	}

	public static class Orders {

		@Backoff
		public void place(Runnable request) {
			request.run();
		}

		@Backoff(idempotent = "no")
		public void placeOnce(Runnable request) {
			request.run();
		}

		@Backoff(idempotent = "by-key")
		public void placeByKey(Runnable request) {
			request.run();
		}

	}

}
