package dev.backoff.durable;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.JsonPath;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.Mockito;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import dev.backoff.spring.actuate.BackoffEndpointAutoConfiguration;
import dev.backoff.spring.actuate.EndpointContributor;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** The part {@code durable} of the endpoint, at a real server. */
@Execution(ExecutionMode.SAME_THREAD)
class DurableEndpointTests {

	private static final String MAILS = "/actuator/backoff/mails/durable";

	@TempDir
	static Path directory;

	private static HttpResponse<String> send(int port, String method, String path, String json)
			throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
			.header("Content-Type", "application/json")
			.method(method, json.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(json))
			.build();
		return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
	}

	@Nested
	@DirtiesContext
	@SpringBootTest(classes = Application.class, webEnvironment = WebEnvironment.RANDOM_PORT,
			properties = { "management.endpoints.web.exposure.include=backoff",
					"management.endpoint.backoff.access=unrestricted", "backoff.durable.poll-interval=100ms" })
	class Unrestricted {

		@LocalServerPort
		private int port;

		@Autowired
		private Shop.Journal journal;

		@Autowired
		private Shop.Mails mails;

		@Autowired
		private DurableCalls calls;

		@DynamicPropertySource
		static void file(DynamicPropertyRegistry registry) {
			registry.add("backoff.durable.file", () -> directory.resolve("unrestricted"));
		}

		private String die(String order) {
			this.journal.when(order, (attempt) -> {
				throw new IllegalStateException("down");
			});
			this.mails.send(order);
			Awaitility.await().until(() -> this.calls.find("mails", order).isEmpty());
			return this.journal.attempts.get(this.journal.attempts.size() - 1).idempotencyKey();
		}

		@Test
		void listsDeadLettersAndRequeuesOne() throws Exception {
			String id = die("h1");
			HttpResponse<String> list = send(this.port, "GET", MAILS + "?state=dead&limit=5", "");
			assertThat(list.statusCode()).isEqualTo(200);
			assertThat(JsonPath.<Integer>read(list.body(), "$.counts.dead")).isPositive();
			assertThat(JsonPath.<List<Map<String, Object>>>read(list.body(), "$.calls[?(@.key == 'h1')]"))
				.singleElement()
				.satisfies((call) -> assertThat(call).containsEntry("id", id)
					.containsEntry("attempts", 3)
					.containsEntry("failure", "java.lang.IllegalStateException"));
			assertThat(list.body()).doesNotContain("\"down\"");
			this.journal.when("h1", (attempt) -> "done");
			HttpResponse<String> requeued = send(this.port, "POST", MAILS,
					"{\"action\":\"requeue\",\"id\":\"" + id + "\"}");
			assertThat(requeued.statusCode()).isEqualTo(200);
			Awaitility.await().until(() -> this.calls.find("mails", id).isEmpty());
		}

		@Test
		void refusesWhatDoesNotFitTheState() throws Exception {
			String id = die("h2");
			DurableCall<?> call = this.calls.submit(DurableCalls.Options.notBefore(Instant.now().plusSeconds(3_600)),
					() -> this.mails.send("h2"));
			assertThat(call.isNew()).isTrue();
			HttpResponse<String> taken = send(this.port, "POST", MAILS,
					"{\"action\":\"requeue\",\"id\":\"" + id + "\"}");
			assertThat(taken.statusCode()).isEqualTo(409);
			assertThat(JsonPath.<String>read(taken.body(), "$.message"))
				.isEqualTo("The call is left as it is: its key is taken by another call.");
			HttpResponse<String> unknown = send(this.port, "POST", MAILS, "{\"action\":\"run-now\",\"id\":\"h0\"}");
			assertThat(unknown.statusCode()).isEqualTo(404);
			HttpResponse<String> schedule = send(this.port, "POST", "/actuator/backoff/report/durable",
					"{\"action\":\"delete\",\"id\":\"schedule\"}");
			assertThat(schedule.statusCode()).isEqualTo(409);
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|',
				textBlock = """
						mails  | ?limit=0       | Invalid limit (0): must be a number from 1 to 1000.
						mails  | ?state=gone    | Invalid state (gone): must be scheduled, running, dead or planned.
						mails  | ?after=x       | Invalid after (x): must be the next of an answer.
						mails  | ?after=%2B1000000000-12-31T23:59:59Z,x | Invalid after (+1000000000-12-31T23:59:59Z,x): must be the
						mails  | ?page=2        | Invalid key (page): is not known here.
						memory | ''             | Invalid policy (memory): must be durable.
						""")
		void refusesWrongParameters(String policy, String query, String message) throws Exception {
			HttpResponse<String> response = send(this.port, "GET", "/actuator/backoff/" + policy + "/durable" + query,
					"");
			assertThat(response.statusCode()).isEqualTo(400);
			assertThat(JsonPath.<String>read(response.body(), "$.problems[0].message")).startsWith(message);
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|', quoteCharacter = '`',
				textBlock = """
						{"action": "kill"}                     | Invalid action (kill): must be requeue, put-back, run-now or delete.
						{"action": "delete"}                   | Invalid id (null): must be given.
						{"action": "requeue", "over": "10"}    | Invalid over (10)
						{"action": "requeue", "over": "86401s"}        | Invalid over (86401s): must be at most a day.
						{"action": "requeue", "over": "999999999999d"} | Invalid over (999999999999d): must be at most a day.
						{"action": "requeue", "limit": "many"} | Invalid limit (many): must be a number from 1 to 1000.
						""")
		void refusesWrongActions(String body, String message) throws Exception {
			HttpResponse<String> response = send(this.port, "POST", MAILS, body);
			assertThat(response.statusCode()).isEqualTo(400);
			assertThat(JsonPath.<String>read(response.body(), "$.problems[0].message")).startsWith(message);
		}

		@Test
		void refusesAnotherConcurrencyWhileItRuns() throws Exception {
			HttpResponse<String> response = send(this.port, "POST", "/actuator/backoff/mails",
					"{\"concurrency\":\"2\"}");
			assertThat(response.statusCode()).isEqualTo(400);
			assertThat(response.body()).contains("cannot be changed while the application runs for a durable policy");
			assertThat(send(this.port, "POST", "/actuator/backoff/memory", "{\"concurrency\":\"2\"}").statusCode())
				.isEqualTo(200);
		}

	}

	@Nested
	@DirtiesContext
	@SpringBootTest(classes = Application.class, webEnvironment = WebEnvironment.RANDOM_PORT,
			properties = "management.endpoints.web.exposure.include=backoff")
	class ReadOnly {

		@LocalServerPort
		private int port;

		@DynamicPropertySource
		static void file(DynamicPropertyRegistry registry) {
			registry.add("backoff.durable.file", () -> directory.resolve("read-only"));
		}

		@Test
		void showsAndChangesNothing() throws Exception {
			assertThat(send(this.port, "GET", MAILS, "").statusCode()).isEqualTo(200);
			assertThat(send(this.port, "POST", MAILS, "{\"action\":\"requeue\"}").statusCode()).isEqualTo(405);
		}

	}

	@Test
	void twoPartsOfOneNameAreRefused() {
		EndpointContributor other = Mockito.mock();
		Mockito.when(other.name()).thenReturn("durable");
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
					BackoffEndpointAutoConfiguration.class, DurableAutoConfiguration.class))
			.withPropertyValues("management.endpoints.web.exposure.include=backoff")
			.withBean("other", EndpointContributor.class, () -> other)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("has a name that is taken. Give it another name."));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Shop.class)
	static class Application {

		@org.springframework.context.annotation.Bean
		Memory memory() {
			return new Memory();
		}

	}

	/** Has a policy that is not durable. */
	static class Memory {

		@dev.backoff.annotation.Backoff(value = "memory", base = "1s")
		public void call() {
		}

	}

}
