package dev.backoff.console;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** The console over real HTTP, wherever an application puts it. */
class ConsoleEndpointTests {

	private static final String ACCESS = "--management.endpoint.backoffconsole.access=read-only";

	private static final String EXPOSED = "--management.endpoints.web.exposure.include=backoff,backoffconsole";

	private static final Pattern LINK = Pattern.compile("(?:href|src|data-endpoint)=\"([^\"]+)\"");

	private final HttpClient client = HttpClient.newHttpClient();

	private static ConfigurableApplicationContext start(WebApplicationType type, String... arguments) {
		return new SpringApplicationBuilder(Shop.class).web(type)
			.properties("server.port=0", "backoff.policies.secretive.base=1s", "spring.main.banner-mode=off")
			.run(arguments);
	}

	private static URI uri(ConfigurableApplicationContext context, String port, String path) {
		return URI.create("http://localhost:" + context.getEnvironment().getProperty(port) + path);
	}

	private HttpResponse<String> get(URI uri) throws IOException, InterruptedException {
		return this.client.send(HttpRequest.newBuilder(uri).header("Accept", "text/html,*/*;q=0.8").build(),
				BodyHandlers.ofString());
	}

	private String page(URI uri) throws IOException, InterruptedException {
		HttpResponse<String> page = get(uri);
		assertThat(page.statusCode()).isEqualTo(200);
		assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html;charset=UTF-8");
		return page.body();
	}

	/* Follow the links of a page as a browser does. */
	private void answersWhereItsLinksLead(URI uri) throws IOException, InterruptedException {
		Map<String, String> types = new TreeMap<>();
		Matcher links = LINK.matcher(page(uri));
		while (links.find()) {
			assertThat(links.group(1)).doesNotStartWith("/").doesNotContain("//");
			URI link = uri.resolve(links.group(1));
			HttpResponse<String> answer = get(link);
			assertThat(answer.statusCode()).as(link.toString()).isEqualTo(200);
			types.put(link.getPath().replaceAll(".*/", ""), answer.headers().firstValue("Content-Type").orElse(""));
		}
		assertThat(types).containsEntry("console.js", "text/javascript;charset=UTF-8")
			.containsEntry("console.css", "text/css;charset=UTF-8")
			.containsEntry("icon.svg", "image/svg+xml")
			.hasSize(4);
		assertThat(types.values()).anyMatch((type) -> type.contains("json"));
	}

	@Test
	void isNotThereWhereAllEndpointsAreExposed() throws Exception {
		try (ConfigurableApplicationContext context = start(WebApplicationType.SERVLET,
				"--management.endpoints.web.exposure.include=*")) {
			assertThat(get(uri(context, "local.server.port", "/actuator/backoff")).statusCode()).isEqualTo(200);
			for (String path : List.of("/actuator/backoffconsole", "/actuator/backoffconsole/console.js")) {
				assertThat(get(uri(context, "local.server.port", path)).statusCode()).isEqualTo(404);
			}
		}
	}

	@Test
	void worksBelowAContextPathAndOnMappedPathsWithItsOwnPartsOnly() throws Exception {
		try (ConfigurableApplicationContext context = start(WebApplicationType.SERVLET, EXPOSED, ACCESS,
				"--server.servlet.context-path=/shop",
				"--management.endpoints.web.path-mapping.backoffconsole=ops/retries/console",
				"--management.endpoints.web.path-mapping.backoff=ops/backoff")) {
			String path = "/shop/actuator/ops/retries/console";
			answersWhereItsLinksLead(uri(context, "local.server.port", path));
			assertThat(page(uri(context, "local.server.port", path))).doesNotContain("secretive", "{{");
			for (String part : List.of("page.html", "no.js", "ConsoleEndpoint.class", "..%2Fsub%2Fno.js", "js",
					"console.js/more", "sub/console.js")) {
				assertThat(get(uri(context, "local.server.port", path + "/" + part)).statusCode()).as(part)
					.isIn(400, 404);
			}
		}
	}

	@Test
	void worksOnAPortOfItsOwn() throws Exception {
		try (ConfigurableApplicationContext context = start(WebApplicationType.SERVLET, EXPOSED, ACCESS,
				"--management.server.port=0", "--management.endpoints.web.base-path=/manage")) {
			answersWhereItsLinksLead(uri(context, "local.management.port", "/manage/backoffconsole"));
		}
	}

	@Test
	void worksInAReactiveApplication() throws Exception {
		try (ConfigurableApplicationContext context = start(WebApplicationType.REACTIVE, EXPOSED, ACCESS)) {
			answersWhereItsLinksLead(uri(context, "local.server.port", "/actuator/backoffconsole"));
			assertThat(get(uri(context, "local.server.port", "/actuator/backoffconsole/no.js")).statusCode())
				.isEqualTo(404);
		}
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Shop {

	}

}
