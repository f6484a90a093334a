package dev.backoff.refresh.cloud;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.budget.RetryBudget;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.safety.RetryBudgets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * An application with a client of Spring Cloud Config, and a server of it in another
 * process: a file changes, somebody asks the application to refresh.
 */
@ExtendWith(OutputCaptureExtension.class)
class ConfigServerRefreshTests {

	private static final Map<String, String> AT_FIRST = Map.of("backoff.defaults.jitter", "none",
			"backoff.policies.orders.base", "1s", "backoff.policies.orders.max-attempts", "3",
			"backoff.policies.mail.base", "2s", "backoff.policies.mail.max-attempts", "2",
			"backoff.policies.mail.breaker", "gate", "backoff.breakers.gate.failure-rate", "50%",
			"backoff.budgets.orders.tokens", "50", "backoff.retries-enabled", "true");

	private static final HttpClient http = HttpClient.newHttpClient();

	private static ConfigServerProcess server;

	private static ConfigurableApplicationContext shop;

	private final Map<String, String> served = new HashMap<>(AT_FIRST);

	@BeforeAll
	static void start(@TempDir Path directory) throws IOException {
		server = ConfigServerProcess.start(directory);
		server.serve("shop", AT_FIRST);
		shop = new SpringApplicationBuilder(ShopApplication.class).run("--spring.application.name=shop",
				"--spring.config.import=configserver:" + server.address(), "--server.port=0",
				"--management.endpoints.web.exposure.include=refresh,backoff,prometheus");
	}

	@AfterAll
	static void stop() {
		if (shop != null) {
			shop.close();
		}
		if (server != null) {
			server.close();
		}
	}

	@BeforeEach
	void reset() {
		List<?> unused = live().reset();
		shop.getBean(CircuitBreakers.class).get("gate").reset();
		refresh();
		shop.getBean(RetryBudgets.class).get("orders").reset();
		assertThat(waits(Shop::order)).isEqualTo(seconds(1, 2));
	}

	@Test
	void putsChangedNumbersIntoEffect() {
		this.served.put("backoff.policies.orders.base", "3s");
		this.served.put("backoff.policies.orders.cap", "5s");
		this.served.put("backoff.policies.orders.max-attempts", "4");
		this.served.put("longest-wait", "150ms");
		assertThat(refresh()).contains("backoff.policies.orders.base", "backoff.policies.orders.cap", "longest-wait");
		assertThat(waits(Shop::order)).isEqualTo(seconds(3, 5, 5));
		assertThat(waits(Shop::unnamed)).startsWith(Duration.ofMillis(100), Duration.ofMillis(150));
		assertThat(get("backoff/orders")).contains("\"3s\"", "shop.yml");
	}

	@Test
	void putsSwitchesBudgetsAndBreakersIntoEffect() {
		CircuitBreaker breaker = shop.getBean(CircuitBreakers.class).get("gate");
		RetryBudget budget = shop.getBean(RetryBudgets.class).get("orders");
		this.served.put("backoff.breakers.gate.failure-rate", "30%");
		this.served.put("backoff.budgets.orders.tokens", "2");
		this.served.put("backoff.retries-enabled", "false");
		refresh();
		assertThat(breaker.settings().failureRate()).isEqualTo(0.3);
		assertThat(budget.balance()).isEqualTo(2);
		assertThat(stop(Shop::order)).isEqualTo(StopReason.DISABLED);
		this.served.put("backoff.retries-enabled", "true");
		refresh();
		assertThat(stop(Shop::order)).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		assertThat(stop(Shop::order)).isEqualTo(StopReason.BUDGET);
	}

	@Test
	void takesAwayWhatIsServedNoMore() {
		this.served.put("backoff.policies.orders.cap", "1500ms");
		refresh();
		assertThat(waits(Shop::order)).isEqualTo(List.of(Duration.ofSeconds(1), Duration.ofMillis(1500)));
		this.served.remove("backoff.policies.orders.cap");
		refresh();
		assertThat(waits(Shop::order)).isEqualTo(seconds(1, 2));
	}

	@Test
	void refusesTheWholeIfAValueIsWrong(CapturedOutput output) {
		double refused = refreshes("refused");
		double applied = refreshes("applied");
		this.served.put("backoff.policies.orders.base", "3s");
		this.served.put("backoff.policies.mail.base", "2 parsecs");
		this.served.put("backoff.budgets.orders.tokens", "7");
		refresh();
		assertThat(output)
			.contains(
					"Refused the configuration refreshed by EnvironmentChangeEvent; " + "what was in effect stays so:")
			.contains("Invalid backoff.policies.mail.base (2 parsecs) at ", "shop.yml", "must be a duration");
		assertThat(refreshes("refused")).isEqualTo(refused + 1);
		assertThat(refreshes("applied")).isEqualTo(applied);
		assertThat(waits(Shop::order)).isEqualTo(seconds(1, 2));
		assertThat(waits(Shop::mail)).isEqualTo(seconds(2));
		assertThat(shop.getBean(RetryBudgets.class).get("orders").settings().tokens()).isEqualTo(50);
		this.served.put("backoff.policies.mail.base", "4s");
		refresh();
		assertThat(refreshes("applied")).isEqualTo(applied + 1);
		assertThat(waits(Shop::order)).isEqualTo(seconds(3, 6));
		assertThat(waits(Shop::mail)).isEqualTo(seconds(4));
	}

	@Test
	void leavesACallInItsFirstAttemptAlone() {
		this.served.put("backoff.policies.orders.base", "5s");
		shop.getBean(Shop.class).inNextAttempt(this::refresh);
		assertThat(waits(Shop::order)).isEqualTo(seconds(1, 2));
		assertThat(waits(Shop::order)).isEqualTo(seconds(5, 10));
	}

	/** Serve what is to be served, and return which keys the application has noticed. */
	private String refresh() {
		server.serve("shop", this.served);
		return send(HttpRequest.newBuilder(uri("refresh")).POST(BodyPublishers.noBody()).build());
	}

	private static LiveConfiguration live() {
		return shop.getBean(LiveConfiguration.class);
	}

	private static List<Duration> waits(Consumer<Shop> call) {
		return shop.getBean(VirtualTime.class)
			.delaysOf(() -> assertThat(catchThrowable(() -> call.accept(shop.getBean(Shop.class)))).hasMessage("down"));
	}

	private static StopReason stop(Consumer<Shop> call) {
		RetriesStoppedException report = RetriesStoppedException
			.of(catchThrowable(() -> call.accept(shop.getBean(Shop.class))));
		assertThat(report).isNotNull();
		return report.reason();
	}

	private static List<Duration> seconds(int... seconds) {
		return Arrays.stream(seconds).mapToObj(Duration::ofSeconds).toList();
	}

	private static double refreshes(String outcome) {
		String sample = "backoff_refresh_total{outcome=\"" + outcome + "\"} ";
		return get("prometheus").lines()
			.filter((line) -> line.startsWith(sample))
			.mapToDouble((line) -> Double.parseDouble(line.substring(sample.length())))
			.findFirst()
			.orElseThrow();
	}

	private static String get(String path) {
		return send(HttpRequest.newBuilder(uri(path)).build());
	}

	private static URI uri(String path) {
		return URI
			.create("http://localhost:" + shop.getEnvironment().getProperty("local.server.port") + "/actuator/" + path);
	}

	private static String send(HttpRequest request) {
		var answer = http.sendAsync(request, BodyHandlers.ofString()).join();
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
		return answer.body();
	}

}
