package dev.backoff.spring.actuate;

import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.test.annotation.DirtiesContext;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy.Value;
import dev.backoff.spring.policy.PolicyKey;

import static org.assertj.core.api.Assertions.assertThat;

/** What hostile or careless people send to the endpoint. */
@DirtiesContext
@ExtendWith(OutputCaptureExtension.class)
@SpringBootTest(classes = OperatorAttackTests.Shop.class, webEnvironment = WebEnvironment.RANDOM_PORT, properties = {
		"management.endpoints.web.exposure.include=backoff", "management.endpoint.backoff.access=unrestricted",
		"backoff.defaults.jitter=none", "secret=sesame", "backoff.policies.orders.base=1s",
		"backoff.policies.orders.cap=1m", "backoff.policies.degraded.base=1s", "backoff.policies.degraded.cap=30s",
		"backoff.policies.degraded.when-degraded.cap=1m", "backoff.policies.[payment\\ callback].base=1s",
		"backoff.policies.[a/b].base=1s", "backoff.policies.Mixed.base=1s", "backoff.policies.[zahlung-über].base=1s",
		"backoff.policies.breakers.base=1s", "backoff.policies.with_under.base=1s",
		"backoff.policies.[written].base=1s", "backoff.policies.[支付].base=1s" })
class OperatorAttackTests {

	@LocalServerPort
	private int port;

	@Autowired
	private BackoffPolicies policies;

	private HttpResponse<String> send(String method, String path, String body)
			throws IOException, InterruptedException {
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://localhost:" + this.port + "/actuator/backoff" + path))
			.header("Content-Type", "application/json")
			.method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
			.build();
		return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
	}

	/** Start an application that has the given lines in its configuration besides. */
	private static ConfigurableApplicationContext start(List<String> lines) throws IOException {
		Properties properties = new Properties();
		properties.load(new StringReader(String.join("\n", lines)));
		return new SpringApplicationBuilder(Shop.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "backoff.policies.degraded.base=1s",
					"backoff.policies.degraded.cap=30s", "backoff.policies.degraded.when-degraded.cap=1m",
					"backoff.defaults.jitter=none")
			.run(properties.entrySet()
				.stream()
				.map((property) -> "--" + property.getKey() + "=" + property.getValue())
				.toArray(String[]::new));
	}

	@AfterEach
	void reset() throws Exception {
		assertThat(send("DELETE", "", "").statusCode()).isEqualTo(200);
		assertThat(this.policies.configuration().overrides().isEmpty()).isTrue();
	}

	@Nested
	class Bodies {

		@ParameterizedTest
		@ValueSource(strings = { "{\"base\": \"2s\", \"for\": 0}", "{\"base\": \"2s\", \"for\": \"0s\"}",
				"{\"base\": \"2s\", \"for\": \"-1s\"}", "{\"base\": \"2s\", \"for\": \"99999999999999999999d\"}",
				"{\"base\": \"2s\", \"for\": \"+5\"}", "{\"base\": \"2s\", \"for\": \"soon\"}",
				"{\"base\": \"2s\", \"for\": null}", "{\"base\": \"2s\", \"for\": \"\"}", "{\"base\": null}",
				"{\"base\": true}", "{\"base\": \"${secret}\"}", "{\"base\": \"#{1+1}\"}", "{\"max-attempts\": 1e3}",
				"{\"max-attempts\": 5.0}", "{\"max-attempts\": NaN}", "{\"multiplier\": \"NaN\"}",
				"{\"max-attempts\": 5, \"maxAttempts\": 6}", "{\"written\": 5, \"base\": \"2s\"}",
				"{\"written\": \"x\"}", "{\"written\": {\"bose\": \"2s\"}}", "{\"enabled\": \"perhaps\"}",
				"{\"base\": [[[[1]]]]}", "{\"enabled\": {}}", "{\"base\": \"1s\\n2s\"}",
				"{\"jitter\": \"beta\\n0.3..0.7\"}", "{\"jitter\": \"beta \\u2028 0.3..0.7\"}", "{\"\": \"\"}",
				"{\"base\": 1e400}", "{\"\\u001b[31mcap\": \"2s\"}" })
		void areRefusedAndChangeNothing(String body) throws Exception {
			HttpResponse<String> response = send("POST", "/orders", body);
			assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
			assertThat(response.body()).doesNotContain("sesame").doesNotContain("\\u001b", "\u001b", "\u2028");
			assertThat(OperatorAttackTests.this.policies.configuration().overrides().isEmpty()).isTrue();
		}

		@Test
		void thatAreHugeAreAnsweredBriefly() throws Exception {
			String keys = IntStream.range(0, 10_000)
				.mapToObj((i) -> "\"k" + i + "\": 1")
				.collect(Collectors.joining(",", "{", "}"));
			String longValue = "{\"base\": \"" + "9".repeat(1_000_000) + "\"}";
			String longKey = "{\"" + "b".repeat(1_000_000) + "\": 1}";
			for (String body : List.of(keys, longValue, longKey)) {
				HttpResponse<String> response = send("POST", "/orders", body);
				assertThat(response.statusCode()).isEqualTo(400);
				assertThat(response.body()).hasSizeLessThan(10_000);
			}
		}

		@Test
		void forgeNoLines(CapturedOutput output) throws Exception {
			String before = output.getAll();
			HttpResponse<String> response = send("POST", "/orders", "{\"max\\r\\n-attempts\\u2028\": \" 7\\r\\n\"}");
			assertThat(response.statusCode()).isEqualTo(200);
			assertThat(JsonPath.<List<String>>read(response.body(), "$.configuration"))
				.containsExactly("backoff.policies.orders.max-attempts=7");
			assertThat(output.getAll().substring(before.length()).lines().filter((line) -> line.contains("7")))
				.hasSize(1);
		}

		@Test
		void mayHoldVeryLong() throws Exception {
			HttpResponse<String> response = send("POST", "/orders",
					"{\"base\": \"2s\", \"for\": \"9223372036854775807s\"}");
			assertThat(response.statusCode()).isEqualTo(200);
			assertThat(JsonPath.<String>read(send("GET", "/orders", "").body(), "$.overrides.base.until")).isNotBlank();
		}

	}

	@Nested
	class ValuesThatMoveOthers {

		@ParameterizedTest
		@CsvSource({ "cap, 2m", "base, 2m" })
		void areAnsweredWithTheOthersToo(String key, String value) throws Exception {
			HttpResponse<String> response = send("POST", "/degraded", "{\"" + key + "\": \"" + value + "\"}");
			List<String> lines = JsonPath.read(response.body(), "$.configuration");
			assertThat(lines).contains("backoff.policies.degraded." + key + "=2m",
					"backoff.policies.degraded.when-degraded.cap=2m");
			Map<PolicyKey, Value> here = OperatorAttackTests.this.policies.peek("degraded").orElseThrow().values();
			try (ConfigurableApplicationContext other = start(lines)) {
				Map<PolicyKey, Value> there = other.getBean(BackoffPolicies.class)
					.peek("degraded")
					.orElseThrow()
					.values();
				here.forEach(
						(each, written) -> assertThat(there.get(each).text()).as(each.key()).isEqualTo(written.text()));
			}
		}

	}

	@Nested
	class Names {

		@ParameterizedTest
		@ValueSource(strings = { "orders", "payment callback", "Mixed", "zahlung-über", "with_under", "written",
				"breakers", "支付", "Orders.place", "Orders.other", "a/b" })
		void areAnsweredWithKeysThatSayTheSame(String name) throws Exception {
			String path = "/" + URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
			if (name.contains("/")) {
				// the server takes no encoded slash, but any spelling will do
				path = "/ab";
			}
			HttpResponse<String> response = send("POST", path, "{\"base\": \"3s\", \"maxAttempts\": \"6\"}");
			assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
			List<String> lines = JsonPath.read(response.body(), "$.configuration");
			assertThat(lines).hasSize(2);
			try (ConfigurableApplicationContext other = start(lines)) {
				BackoffPolicies theirs = other.getBean(BackoffPolicies.class);
				String known = theirs.find(name).orElseThrow();
				assertThat(theirs.peek(known).orElseThrow().values().get(PolicyKey.BASE).text()).isEqualTo("3s");
				Map<PolicyKey, Value> values = theirs.peek(known).orElseThrow().values();
				assertThat(values.get(PolicyKey.BASE).text()).isEqualTo("3s");
				assertThat(values.get(PolicyKey.MAX_ATTEMPTS).text()).isEqualTo("6");
			}
		}

		@ParameterizedTest
		@ValueSource(strings = { "/%00", "/%1b%5b31m", "/..%2f", "/%E2%80%A8", "/[x]", "/%25%25", "/%24%7Bsecret%7D",
				"/.", "/-" })
		void thatNobodyKnowsAreNeverFound(String path) throws Exception {
			String encoded = path.replace("[", "%5B").replace("]", "%5D");
			int status = send("POST", encoded, "{\"base\": \"3s\"}").statusCode();
			assertThat(status).isIn(400, 404);
			assertThat(OperatorAttackTests.this.policies.configuration().overrides().isEmpty()).isTrue();
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

		@Backoff
		public void place() throws IOException {
			throw new IOException("card 4111 refused");
		}

		@Backoff
		public void other() throws IOException {
			throw new IOException("down");
		}

		@Backoff
		public void other(String text) throws IOException {
			throw new IOException(text);
		}

	}

}
