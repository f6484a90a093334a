package dev.backoff.sample.ops;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.micrometer.metrics.test.autoconfigure.AutoConfigureMetrics;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;

import dev.backoff.sample.ShopClient;
import dev.backoff.test.TestBackoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The shipped rules and dashboard in a real Prometheus that watches the running shop,
 * with their windows divided by 60, and the hour of comparison by 120. Customers ask for
 * quotes all the time.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = { "spring.http.clients.read-timeout=400ms",
		"management.metrics.tags.version=1.0", "backoff.metrics.slo=10ms,50ms,100ms,500ms,1s",
		"backoff.policies.[QuoteService.quote].base=250ms", "backoff.policies.[QuoteService.quote].jitter=none",
		"backoff.budgets.[QuoteService.quote].tokens=5000", "backoff.policies.order-creation.base=1ms",
		"backoff.policies.order-creation.breaker=none", "backoff.budgets.order-creation.tokens=95",
		"backoff.policies.logistics-sync.ladder=600ms", "backoff.breakers.logistics-sync.minimum-calls=4",
		"backoff.breakers.logistics-sync.failure-rate=90%", "backoff.breakers.logistics-sync.open-for=8s",
		"backoff.breakers.logistics-sync.probes=1", "shop.gateway.url=",
		"spring.datasource.url=jdbc:h2:file:./target/watched-${random.uuid};WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE" })
@ActiveProfiles({ "durable", "test", "watched" })
@TestBackoff(virtualTime = false, reset = false)
@AutoConfigureMetrics
@Import(ShopClient.class)
@DirtiesContext
@Tag("prometheus")
@Tag("ci")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@SuppressWarnings("FutureReturnValueIgnored") // the answers to the customers are not read
class WatchedShopTests {

	private static final String GAVE_UP = "sum(backoff_calls_total{policy=\"order-creation\", "
			+ "stop=\"attempts_exhausted\"})";

	private static final Path OPS = Path.of("..", "ops");

	private final ScheduledExecutorService customers = Executors.newScheduledThreadPool(8);

	@Autowired
	private ShopClient shop;

	@LocalServerPort
	private int port;

	private PrometheusServer prometheus;

	@BeforeAll
	void watch(@TempDir Path folder) throws IOException {
		assumeTrue(PrometheusServer.isInstalled("prometheus"), PrometheusServer.MISSING);
		this.prometheus = PrometheusServer.start(this.port, OPS.resolve("prometheus/backoff-rules.yml"), folder);
		for (int customer = 0; customer < 4; customer++) {
			this.customers.scheduleWithFixedDelay(() -> this.shop.get("/quotes/tea"), customer * 50L, 200,
					TimeUnit.MILLISECONDS);
		}
		await().until(this.prometheus::isUp);
	}

	@AfterAll
	void leave() throws Exception {
		this.customers.shutdownNow();
		if (this.prometheus != null) {
			this.prometheus.stop();
		}
	}

	@BeforeEach
	void clearFaults() {
		this.shop.clearFaults();
	}

	private static org.awaitility.core.ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(250));
	}

	private void awaitFiring(String alert) {
		await().alias(alert + " fires").until(() -> this.prometheus.firing().contains(alert));
	}

	/* After 30 seconds a storm is compared with itself. */
	private boolean isFiringBeforeItIsItsOwnPast(String alert) {
		try {
			await().atMost(Duration.ofSeconds(40)).until(() -> this.prometheus.firing().contains(alert));
			return true;
		}
		catch (ConditionTimeoutException ex) {
			return false;
		}
	}

	private double gaveUp() {
		List<Double> values = this.prometheus.query(GAVE_UP);
		return values.isEmpty() ? 0 : values.get(0);
	}

	@Test
	@Order(1)
	void readsThirtyFailedCallsAsThirty() {
		await().until(() -> !this.prometheus.query(GAVE_UP).isEmpty());
		assertThat(gaveUp()).isZero();
		this.shop.fault("payments?answer=503&percent=100");
		for (int call = 0; call < 30; call++) {
			this.shop.order("pot");
		}
		awaitFiring("BackoffCallsExhausted");
		await().untilAsserted(() -> assertThat(gaveUp()).isCloseTo(30, within(1.0)));
	}

	@Test
	@Order(2)
	void seesABudgetRunDry() {
		this.shop.fault("payments?answer=503&percent=100");
		await().until(() -> {
			this.shop.order("pot");
			return this.prometheus.firing().contains("BackoffBudgetDry");
		});
	}

	@Test
	@Order(3)
	void seesABreakerOpen() {
		await().until(() -> this.shop.order("pot").getStatusCode().is2xxSuccessful());
		this.shop.fault("logistics?answer=503&percent=100");
		await().until(() -> {
			this.shop.post("/logistics/sync");
			return this.prometheus.firing().contains("BackoffBreakerOpen");
		});
	}

	@Test
	@Order(4)
	void seesTooManyRetriesAndAStorm() {
		String past = "backoff:attempt_seconds:p99_5m{policy=\"QuoteService.quote\", attempt=\"1\"} offset 30s";
		await().atMost(Duration.ofMinutes(4)).until(() -> {
			// the past that the storm is compared with
			this.shop.clearFaults();
			await().until(() -> !this.prometheus.query("0.25 > " + past + " > 0").isEmpty());
			// sooner than the read timeout, since retries after timeouts stop
			this.shop.fault("quotes?answer=503&hang=300ms&percent=40");
			return isFiringBeforeItIsItsOwnPast("BackoffStormSuspected");
		});
		awaitFiring("BackoffDependencyFailing");
		awaitFiring("BackoffRetryRatioHigh");
	}

	@Test
	@Order(5)
	void seesSecondAttemptsThatAreSlow() {
		// the breaker of the test before closes
		await().until(() -> this.shop.post("/logistics/sync").getStatusCode().is2xxSuccessful());
		await().until(() -> {
			slowSecondAttempt();
			return this.prometheus.firing().contains("BackoffSecondAttemptsSlow");
		});
	}

	/* Only this method announces shipments, so each fault meets the intended attempt. */
	private void slowSecondAttempt() {
		this.shop.order("pot");
		long before = this.shop.page("logistics").path("count").asLong();
		this.shop.fault("logistics?answer=503&times=1");
		CompletableFuture<?> sync = CompletableFuture.runAsync(() -> this.shop.post("/logistics/sync"), this.customers);
		await().until(() -> this.shop.page("logistics").path("count").asLong() > before);
		this.shop.fault("logistics?hang=300ms&times=1");
		sync.join();
	}

	@Test
	@Order(6)
	void seesTheEndOfAllFaults() {
		await().untilAsserted(() -> {
			this.shop.post("/logistics/sync");
			assertThat(this.prometheus.firing()).isEmpty();
		});
	}

	@Test
	@Order(7)
	void showsSomethingInEachPanelAndAsksForItsDataSourceOnImport() throws IOException {
		JsonNode dashboard = JsonMapper.shared().readTree(Files.readString(OPS.resolve("grafana/backoff.json")));
		assertThat(dashboard.at("/templating/list/0/current/value").asString())
			.isEqualTo("${" + dashboard.at("/__inputs/0/name").asString() + "}");
		this.shop.fault("payments?answer=503&percent=70");
		this.shop.fault("quotes?answer=503&percent=10");
		List<String> empty = new ArrayList<>();
		await().untilAsserted(() -> {
			this.shop.order("pot");
			empty.clear();
			dashboard.path("panels")
				.values()
				.forEach((panel) -> panel.path("targets")
					.values()
					.stream()
					.map((target) -> target.path("expr").asString())
					.filter((query) -> this.prometheus.query(hurried(query)).stream().noneMatch(Double::isFinite))
					.forEach((query) -> empty.add(panel.path("title").asString() + ": " + query)));
			assertThat(empty).isEmpty();
		});
	}

	/* The dashboard compares with 48 hours ago; here it is 12 seconds. */
	private static String hurried(String query) {
		return PrometheusServer.hurried(query)
			.replace("$__rate_interval", "10s")
			.replace("$__range", "10s")
			.replace("=~\"$job\"", "=~\".*\"")
			.replace("=~\"$policy\"", "=~\".*\"")
			.replace("offset 48h", "offset 12s");
	}

}
