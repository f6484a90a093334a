package dev.backoff.spring.actuate;

import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.policy.BackoffPolicies;

import static org.assertj.core.api.Assertions.assertThat;

/** The endpoint in a reactive application, and on a port of its own. */
class OperatorElsewhereTests {

	private static final String UNRESTRICTED = "--management.endpoint.backoff.access=unrestricted";

	private static ConfigurableApplicationContext start(WebApplicationType type, String... arguments) {
		return new SpringApplicationBuilder(Shop.class).web(type)
			.properties("server.port=0", "backoff.policies.orders.base=1s", "backoff.policies.orders.cap=1m",
					"management.endpoints.web.exposure.include=backoff", "spring.main.banner-mode=off")
			.run(arguments);
	}

	private static Map<Key<?>, String> overrides(ConfigurableApplicationContext context) {
		Map<Key<?>, String> texts = new HashMap<>();
		context.getBean(BackoffPolicies.class)
			.configuration()
			.overrides()
			.of("orders")
			.forEach((key, value) -> texts.put(key, value.text()));
		return texts;
	}

	private static LocalClient client(ConfigurableApplicationContext context, String port, String path) {
		return new LocalClient("http://localhost:" + context.getEnvironment().getProperty(port) + path + "/backoff");
	}

	private static void operate(ConfigurableApplicationContext context, LocalClient client) throws Exception {
		HttpResponse<String> answer = client.send("POST", "/orders",
				"{\"base\": \"2s\", \"max-attempts\": 4, \"for\": \"30m\"}");
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
		assertThat(overrides(context)).isEqualTo(Map.of(PolicyKey.BASE, "2s", PolicyKey.MAX_ATTEMPTS, "4"));
		String shown = client.send("GET", "/orders", "").body();
		assertThat(JsonPath.<String>read(shown, "$.overrides.base.until")).isNotBlank();
		HttpResponse<String> preview = client.send("GET", "/orders/preview?base=4s&max-attempts=3", "");
		assertThat(JsonPath.<List<Double>>read(preview.body(), "$.methods['Orders.place'].delays[*].greatestMs"))
			.containsExactly(4000.0, 8000.0);
		HttpResponse<String> refused = client.send("POST", "/orders", "{\"bose\": \"2s\"}");
		assertThat(refused.statusCode()).isEqualTo(400);
		assertThat(JsonPath.<String>read(refused.body(), "$.problems[0].fix")).isEqualTo("Write base.");
		assertThat(client.send("POST", "/nobody", "{\"base\": \"2s\"}").statusCode()).isEqualTo(404);
		assertThat(client.send("POST", "/orders/wake", "{}").statusCode()).isEqualTo(200);
		for (String path : List.of("", "/orders", "/orders/wake")) {
			assertThat(client.send("POST", path, "{\"base\": \"9s\"}", "text/plain").statusCode()).isEqualTo(415);
			assertThat(client.send("POST", path, "", null).body()).contains("The request: has no JSON body.");
		}
		assertThat(client.send("DELETE", "/orders?key=base", "").statusCode()).isEqualTo(200);
		assertThat(overrides(context)).isEqualTo(Map.of(PolicyKey.MAX_ATTEMPTS, "4"));
		assertThat(client.send("POST", "", "{\"retries-enabled\": false}").statusCode()).isEqualTo(200);
		assertThat(client.send("DELETE", "", "").statusCode()).isEqualTo(200);
		assertThat(overrides(context)).isEmpty();
	}

	private static void refuseEverything(ConfigurableApplicationContext context, LocalClient client) throws Exception {
		for (String path : List.of("", "/orders", "/orders/wake", "/budgets/orders", "/orders/preview")) {
			for (String method : List.of("POST", "DELETE", "PUT", "PATCH")) {
				assertThat(client.send(method, path, "{\"base\": \"2s\"}").statusCode()).isIn(404, 405);
			}
		}
		assertThat(client.send("GET", "/orders?base=2s", "").statusCode()).isEqualTo(200);
		assertThat(overrides(context)).isEmpty();
	}

	@Nested
	class InAReactiveApplication {

		@Test
		void worksTheSame() throws Exception {
			try (ConfigurableApplicationContext context = start(WebApplicationType.REACTIVE, UNRESTRICTED)) {
				operate(context, client(context, "local.server.port", "/actuator"));
			}
		}

		@Test
		void changesNothingWithoutAccess() throws Exception {
			try (ConfigurableApplicationContext context = start(WebApplicationType.REACTIVE)) {
				refuseEverything(context, client(context, "local.server.port", "/actuator"));
			}
		}

	}

	@Nested
	class OnAPortOfItsOwn {

		@Test
		void worksTheSame() throws Exception {
			try (ConfigurableApplicationContext context = start(WebApplicationType.SERVLET, UNRESTRICTED,
					"--management.server.port=0", "--management.endpoints.web.base-path=/manage")) {
				operate(context, client(context, "local.management.port", "/manage"));
			}
		}

		@Test
		void changesNothingWithoutAccess() throws Exception {
			try (ConfigurableApplicationContext context = start(WebApplicationType.SERVLET,
					"--management.server.port=0")) {
				refuseEverything(context, client(context, "local.management.port", "/actuator"));
			}
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ VirtualTime.class, Orders.class })
	static class Shop {

	}

	static class Orders {

		@Backoff("orders")
		public void place() {
			throw new IllegalStateException("down");
		}

	}

}
