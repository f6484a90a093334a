package dev.backoff.spring.actuate;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.test.annotation.DirtiesContext;

import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.safety.RetryBudgets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.catchThrowable;

/** The endpoint with unrestricted access, over real HTTP. */
@DirtiesContext
@SpringBootTest(classes = OperatorTests.Shop.class, webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "management.endpoints.web.exposure.include=backoff",
				"management.endpoint.backoff.access=unrestricted", "backoff.defaults.jitter=none",
				"backoff.policies.orders.base=1s", "backoff.policies.orders.max-attempts=3",
				"backoff.policies.orders.cap=10s", "backoff.policies.sync.base=1m", "backoff.policies.sync.cap=1m",
				"backoff.policies.sync.max-attempts=2", "backoff.breakers.gateway.failure-rate=50%" })
class OperatorTests {

	@LocalServerPort
	private int port;

	@Autowired
	private Orders orders;

	@Autowired
	private VirtualTime time;

	@Autowired
	private CircuitBreakers breakers;

	@Autowired
	private RetryBudgets budgets;

	private HttpResponse<String> send(String method, String path, String body)
			throws IOException, InterruptedException {
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://localhost:" + this.port + "/actuator/backoff" + path))
			.header("Content-Type", "application/json")
			.method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
			.build();
		return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
	}

	private String ok(String method, String path, String body) throws IOException, InterruptedException {
		HttpResponse<String> response = send(method, path, body);
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		return response.body();
	}

	private List<Duration> waits() {
		int before = this.time.delays().size();
		assertThatIOException().isThrownBy(this.orders::place);
		return this.time.delays().subList(before, this.time.delays().size());
	}

	@AfterEach
	void reset() throws Exception {
		ok("DELETE", "", "");
		this.breakers.get("gateway").reset();
		this.time.runAll();
	}

	@Nested
	class Overrides {

		@Test
		void holdForThisProcessAndSaySo() throws Exception {
			String answer = ok("POST", "/orders", "{\"base\": \"2s\", \"max-attempts\": 4, \"for\": \"30m\"}");
			assertThat(JsonPath.<String>read(answer, "$.scope"))
				.isEqualTo("this process only, for 30m at most, and gone after a restart");
			assertThat(JsonPath.<List<String>>read(answer, "$.configuration"))
				.containsExactly("backoff.policies.orders.base=2s", "backoff.policies.orders.max-attempts=4");
			assertThat(JsonPath.<List<String>>read(answer, "$.changes[?(@.key == 'base')].before.value"))
				.containsExactly("1s");
			assertThat(JsonPath.<List<String>>read(answer, "$.changes[?(@.key == 'base')].now.origin"))
				.containsExactly("live override");
			assertThat(waits()).containsExactly(Duration.ofSeconds(2), Duration.ofSeconds(4), Duration.ofSeconds(8));
			String shown = ok("GET", "/orders", "");
			assertThat(JsonPath.<String>read(shown, "$.overrides.base.value")).isEqualTo("2s");
			assertThat(JsonPath.<String>read(shown, "$.overrides.base.until")).isNotBlank();
			assertThat(JsonPath.<String>read(shown, "$.methods['Orders.place'].values.base.origin"))
				.isEqualTo("live override");
			assertThat(JsonPath.<Double>read(shown, "$.methods['Orders.place'].delays[2].greatestMs")).isEqualTo(8000);
		}

		@Test
		void endWhenTheyAreReset() throws Exception {
			ok("POST", "/orders", "{\"base\": \"2s\"}");
			String answer = ok("DELETE", "/ORDERS", "");
			assertThat(JsonPath.<List<String>>read(answer, "$.changes[*].now.value")).containsExactly("1s");
			assertThat(waits()).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
			assertThat(JsonPath.<List<Object>>read(ok("DELETE", "/orders", ""), "$.changes")).isEmpty();
		}

		@Test
		void switchAllRetriesOff() throws Exception {
			ok("POST", "", "{\"retries-enabled\": false, \"for\": \"10m\"}");
			assertThat(waits()).isEmpty();
			String shown = ok("GET", "", "");
			assertThat(JsonPath.<Boolean>read(shown, "$.retriesEnabled")).isFalse();
			assertThat(JsonPath.<String>read(shown, "$.overrides.retries-enabled.until")).isNotBlank();
			ok("DELETE", "", "");
			assertThat(waits()).hasSize(2);
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|',
				textBlock = """
						/orders | {"base": "soon"}            | Invalid base of policy orders (soon) at live override: must be a duration.
						/orders | {"cap": "500ms"}            | Invalid cap of policy orders (500ms) at live override: must not be below the base (1s).
						/orders | {"max-retries": 3}          | Invalid key (max-retries) of policy orders: is not known.
						/orders | {"max-attempts": 0}         | Invalid max-attempts of policy orders (0) at live override
						/orders | {"cap": "20s", "for": "30"} | Invalid for (30): must be a duration.
						/orders | {"cap": "20s", "for": "-1s"} | Invalid for (-1s)
						/orders | {"for": "30m"}              | Policy orders: needs a value to override.
						/orders | {}                          | Policy orders: needs a value to override.
						/orders | {"retry-on": "java.lang.Error"} | Invalid key (retry-on) of policy orders: cannot be changed while the application runs.
						''                                    | {"retries-enabled": "perhaps"} | Invalid retries-enabled (perhaps): must be true or false.
						''                                    | {"enabled": false}  | Invalid key (enabled): is not known here.
						''                                    | {}                  | What is written: says nothing of retries-enabled.
						/breakers/gateway | {"state": "ajar"} | Invalid state (ajar) of breaker gateway: is none that it can be put into.
						/breakers/gateway | {"stat": "open"}  | Invalid key (stat): is not known here.
						/budgets/orders   | {"reset": false}  | Budget orders: can only be filled.
						/orders/wake      | {"over": "soon"}  | Invalid over (soon): must be a duration.
						/orders/stop      | {"now": true}     | Invalid key (now): is not known here.
						""")
		void areRefusedWithAReport(String path, String body, String message) throws Exception {
			HttpResponse<String> response = send("POST", (path != null) ? path : "", body);
			assertThat(response.statusCode()).isEqualTo(400);
			assertThat(JsonPath.<String>read(response.body(), "$.problems[0].message")).startsWith(message);
			assertThat(JsonPath.<String>read(response.body(), "$.problems[0].fix")).isNotBlank();
			assertThat(waits()).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
		}

		@ParameterizedTest
		@ValueSource(strings = { "{\"base\": {\"a\": 1}}", "{\"base\": [\"1s\"]}", "nonsense", "[1]" })
		void areRefusedIfTheyAreNoObjectOfValues(String body) throws Exception {
			assertThat(send("POST", "/orders", body).statusCode()).isEqualTo(400);
			assertThat(waits()).hasSize(2);
		}

		@Test
		void areOfPoliciesAndNotOfMethods() throws Exception {
			HttpResponse<String> response = send("POST", "/Orders.place", "{\"cap\": \"20s\"}");
			assertThat(response.statusCode()).isEqualTo(404);
			assertThat(response.body()).contains("It is a method of policy orders, so write that.");
		}

		@Test
		void comeWithAdvice() throws Exception {
			String answer = ok("POST", "/orders", "{\"base\": \"10s\", \"cap\": \"1m\"}");
			assertThat(JsonPath.<List<String>>read(answer, "$.advice"))
				.anySatisfy((advice) -> assertThat(advice).startsWith("Orders.place: ").contains("30 s"));
		}

		@ParameterizedTest
		@CsvSource({ "POST, /nobody", "DELETE, /nobody", "POST, /nobody/wake", "POST, /nobody/stop",
				"POST, /orders/something", "POST, /breakers/nobody", "POST, /budgets/nobody", "GET, /nobody/preview",
				"GET, /breakers/nobody", "GET, /orders/something" })
		void knowNoOtherNames(String method, String path) throws Exception {
			assertThat(send(method, path, method.equals("POST") ? "{\"cap\": \"1s\"}" : "").statusCode())
				.isEqualTo(404);
		}

	}

	@Nested
	class Previews {

		@Test
		void showTheDelaysOfOtherValuesAndChangeNothing() throws Exception {
			String answer = ok("GET", "/orders/preview?base=4s&max-attempts=4&cap=12s", "");
			assertThat(JsonPath.<List<Double>>read(answer, "$.methods['Orders.place'].delays[*].greatestMs"))
				.containsExactly(4000.0, 8000.0, 12000.0);
			assertThat(JsonPath.<String>read(answer, "$.plan.values.base.value")).isEqualTo("4s");
			assertThat(waits()).hasSize(2);
		}

		@Test
		void areRefusedAsTheOverrideWouldBe() throws Exception {
			HttpResponse<String> response = send("GET", "/orders/preview?cap=1ms", "");
			assertThat(response.statusCode()).isEqualTo(400);
			assertThat(response.body()).contains("must not be below the base");
		}

	}

	@Nested
	class Shared {

		@ParameterizedTest
		@CsvSource({ "forced-open, FORCED_OPEN", "FORCED_OPEN, FORCED_OPEN", "disabled, DISABLED",
				"metrics-only, METRICS_ONLY", "open, OPEN", "closed, CLOSED" })
		void breakersAreMoved(String written, BreakerState state) throws Exception {
			String answer = ok("POST", "/breakers/GateWay", "{\"state\": \"" + written + "\"}");
			assertThat(OperatorTests.this.breakers.get("gateway").state()).isEqualTo(state);
			assertThat(JsonPath.<String>read(answer, "$.changes[0].now.value")).isEqualTo(state.tag());
			assertThat(JsonPath.<String>read(ok("GET", "/breakers/gateway", ""), "$.state")).isEqualTo(state.tag());
		}

		@Test
		void budgetsAreFilled() throws Exception {
			waits();
			assertThat(OperatorTests.this.budgets.get("orders").balance()).isLessThan(50);
			String answer = ok("POST", "/budgets/orders", "{\"reset\": true}");
			assertThat(OperatorTests.this.budgets.get("orders").balance()).isEqualTo(50);
			assertThat(JsonPath.<String>read(answer, "$.changes[0].now.value")).isEqualTo("50.0");
			assertThat(JsonPath.<Double>read(ok("GET", "/budgets/orders", ""), "$.balance")).isEqualTo(50);
		}

	}

	@Nested
	class Activity {

		@Test
		void isCountedSinceTheStartAndShownWithoutMessages() throws Exception {
			String before = ok("GET", "/orders", "");
			waits();
			String shown = ok("GET", "/orders", "");
			assertThat(count(shown, "calls.attempts_exhausted") - count(before, "calls.attempts_exhausted"))
				.isEqualTo(1);
			assertThat(count(shown, "attempts") - count(before, "attempts")).isEqualTo(3);
			assertThat(count(shown, "retries") - count(before, "retries")).isEqualTo(2);
			assertThat(JsonPath.<String>read(shown, "$.activity.stopped[0].stop")).isEqualTo("attempts_exhausted");
			assertThat(JsonPath.<List<Double>>read(shown, "$.activity.stopped[0].waitsMs")).containsExactly(1000.0,
					2000.0);
			assertThat(JsonPath.<String>read(shown, "$.activity.stopped[0].failure")).isEqualTo("java.io.IOException");
			String everything = ok("GET", "", "") + shown + ok("GET", "/Orders.place", "");
			assertThat(everything).doesNotContain("4111");
		}

		@Test
		void isShownByMethod() throws Exception {
			waits();
			String shown = ok("GET", "/Orders.place", "");
			assertThat(JsonPath.<String>read(shown, "$.policy")).isEqualTo("orders");
			assertThat(JsonPath.<Integer>read(shown, "$.counters.attempts")).isPositive();
			assertThat(JsonPath.<String>read(shown, "$.stopped[0].method")).isEqualTo("Orders.place");
			assertThat(JsonPath.<String>read(shown, "$.plan.values.base.value")).isEqualTo("1s");
		}

		private static int count(String shown, String counter) {
			List<Integer> counts = JsonPath.read(shown, "$..counters['Orders.place']." + counter);
			return counts.isEmpty() ? 0 : counts.get(0);
		}

	}

	@Nested
	class WaitingOnes {

		@Test
		void areLeftAloneByAFormThatWouldBeLost() throws Exception {
			HttpRequest form = HttpRequest
				.newBuilder(URI.create("http://localhost:" + OperatorTests.this.port + "/actuator/backoff/sync/wake"))
				.header("Content-Type", "application/x-www-form-urlencoded")
				.POST(BodyPublishers.ofString("{\"over\": \"10s\"}"))
				.build();
			assertThat(HttpClient.newHttpClient().send(form, BodyHandlers.ofString()).statusCode()).isEqualTo(415);
			HttpRequest query = HttpRequest
				.newBuilder(URI
					.create("http://localhost:" + OperatorTests.this.port + "/actuator/backoff/sync/wake?over=10s"))
				.POST(BodyPublishers.noBody())
				.build();
			assertThat(HttpClient.newHttpClient().send(query, BodyHandlers.ofString()).statusCode()).isEqualTo(400);
		}

		@Test
		void areShownWokenAndStopped() throws Exception {
			CompletableFuture<String> one = OperatorTests.this.orders.sync();
			CompletableFuture<String> other = OperatorTests.this.orders.sync();
			String shown = ok("GET", "/sync", "");
			assertThat(JsonPath.<Integer>read(shown, "$.activity.waiting")).isEqualTo(2);
			assertThat(JsonPath.<String>read(shown, "$.activity.oldestWaiting[0].method")).isEqualTo("Orders.sync");
			assertThat(JsonPath.<Integer>read(shown, "$.activity.oldestWaiting[0].attempt")).isEqualTo(1);
			assertThat(JsonPath.<Double>read(shown, "$.activity.oldestWaiting[0].dueInMs")).isEqualTo(60_000);
			HttpRequest bare = HttpRequest
				.newBuilder(URI.create("http://localhost:" + OperatorTests.this.port + "/actuator/backoff/sync/stop"))
				.POST(BodyPublishers.noBody())
				.build();
			String stoppedNow = HttpClient.newHttpClient().send(bare, BodyHandlers.ofString()).body();
			assertThat(JsonPath.<Integer>read(stoppedNow, "$.calls")).isEqualTo(2);
			for (CompletableFuture<String> stopped : List.of(one, other)) {
				RetriesStoppedException story = RetriesStoppedException.of(catchThrowable(stopped::join));
				assertThat(story).isNotNull();
				assertThat(story.reason()).isEqualTo(StopReason.STOPPED);
			}
			CompletableFuture<String> woken = OperatorTests.this.orders.sync();
			assertThat(JsonPath.<Integer>read(ok("POST", "/sync/wake", "{}"), "$.calls")).isEqualTo(1);
			assertThat(RetriesStoppedException.of(catchThrowable(woken::join)).reason())
				.isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Shop {

		@Bean
		VirtualTime time() {
			return new VirtualTime();
		}

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

	static class Orders {

		@Backoff("orders")
		public void place() throws IOException {
			throw new IOException("card 4111 refused");
		}

		@Backoff("sync")
		public CompletableFuture<String> sync() {
			return CompletableFuture.failedFuture(new IOException("down"));
		}

	}

}
