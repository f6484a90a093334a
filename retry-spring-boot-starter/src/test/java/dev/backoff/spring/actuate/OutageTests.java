package dev.backoff.spring.actuate;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.skyscreamer.jsonassert.JSONAssert;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.micrometer.metrics.test.autoconfigure.AutoConfigureMetrics;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;

import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.delay.RandomSource;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** One outage and its end, as meters, endpoint, health and log tell of it. */
@DirtiesContext
@AutoConfigureMetrics
@ExtendWith(OutputCaptureExtension.class)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "management.endpoints.web.exposure.include=backoff,health,prometheus",
				"management.endpoint.health.show-details=always", "backoff.policies.orders.base=1s",
				"backoff.policies.orders.breaker=gateway", "backoff.budgets.orders.tokens=2",
				"backoff.budgets.orders.per-success=0.5", "backoff.budgets.orders.per-second=0",
				"backoff.breakers.gateway.minimum-calls=6", "backoff.breakers.gateway.probes=2",
				"backoff.breakers.spare.open-for=5s", "backoff.budgets.spare.tokens=7" })
class OutageTests {

	@LocalServerPort
	private int port;

	@Autowired
	private Orders orders;

	@Autowired
	private VirtualTime time;

	@Autowired
	private HealthEndpointGroups groups;

	@Test
	void isToldAlikeEverywhere(CapturedOutput output) throws Exception {
		this.orders.setDown(true);
		// three attempts and an empty budget; two calls without a retry; one that opens
		for (int i = 0; i < 4; i++) {
			assertThat(catchThrowable(this.orders::place)).isInstanceOf(IOException.class);
		}
		for (int i = 0; i < 5; i++) {
			assertThat(catchThrowable(this.orders::place)).isInstanceOf(CircuitOpenException.class);
		}
		assertThat(this.orders.calls()).isEqualTo(6);

		assertThat(lines(output, " WARN ", "OverloadLogger")).satisfiesExactly(
				(line) -> assertThat(line)
					.contains("Budget orders ran dry (0 of 2 tokens): retries are refused, or wait"),
				(line) -> assertThat(line)
					.endsWith("Breaker gateway went from closed to open: of 6 attempts 100 % failed, "
							+ "0 % were slow; open for 30 s"));
		assertThat(lines(output, " WARN ", "StopLogger")).hasSize(9)
			.filteredOn((line) -> line.contains("Stopped after 0 of 4 attempts in 0 ms: BREAKER_OPEN"))
			.hasSize(5);
		assertThat(get("/actuator/prometheus").body().lines()).contains("backoff_budget_tokens{budget=\"orders\"} 0.0",
				"backoff_budget_refused_total{budget=\"orders\"} 3.0",
				"backoff_breaker_state{breaker=\"gateway\",state=\"open\"} 1.0",
				"backoff_breaker_state{breaker=\"gateway\",state=\"closed\"} 0.0",
				"backoff_breaker_state{breaker=\"spare\",state=\"closed\"} 1.0",
				"# HELP backoff_breaker_rejected_total Attempts that a circuit breaker rejected, not calls that stop "
						+ "after a failed attempt because it is open",
				"backoff_breaker_rejected_total{breaker=\"gateway\"} 5.0",
				"backoff_breaker_transitions_total{breaker=\"gateway\",from=\"closed\",to=\"open\"} 1.0",
				"backoff_breaker_transitions_total{breaker=\"gateway\",from=\"half_open\",to=\"closed\"} 0.0",
				"backoff_calls_total{method=\"Orders.place\",policy=\"orders\",stop=\"budget\"} 3.0",
				"backoff_calls_total{method=\"Orders.place\",policy=\"orders\",stop=\"breaker_open\"} 6.0");
		JSONAssert.assertEquals("""
				{ "budgets": {
				    "orders": { "unused": false, "policies": ["orders"], "balance": 0.0, "tokens": 2.0, "refused": 3,
				      "dry": true, "strikes": 0.0, "barred": 0, "values": {
				        "tokens": { "value": "2", "origin": "the property source Inlined Test Properties" },
				        "per-second": { "value": "0", "origin": "the property source Inlined Test Properties" } } },
				    "spare": { "unused": true, "policies": [], "tokens": 7.0 } },
				  "breakers": {
				    "gateway": { "unused": false, "policies": ["orders"], "state": "open",
				      "failureRate": 1.0, "slowCallRate": 0.0, "calls": 6, "rejected": 5, "timeToProbeMs": 29999.999999,
				      "values": {
				        "minimum-calls": { "value": "6", "origin": "the property source Inlined Test Properties" },
				        "failure-rate": { "value": "50%", "origin": "built in" } } },
				    "spare": { "unused": true, "policies": [], "state": "closed", "calls": 0, "rejected": 0 } } }
				""", get("/actuator/backoff").body(), false);
		JSONAssert.assertEquals("""
				{ "unused": false, "methods": { "Orders.place": { "values": {
				    "breaker": { "value": "gateway", "origin": "the property source Inlined Test Properties" },
				    "budget": { "value": "orders", "origin": "built in" } } } } }
				""", get("/actuator/backoff/orders").body(), false);
		JSONAssert.assertEquals("""
				{ "status": "UP", "components": { "backoffBreakers": { "status": "UP", "details": {
				    "gateway": { "state": "open", "failureRate": 1.0, "slowCallRate": 0.0 },
				    "spare": { "state": "closed" } } } } }
				""", get("/actuator/health").body(), false);
		assertThat(this.groups.getPrimary().isMember("backoffBreakers")).isTrue();
		assertThat(this.groups.get("liveness").isMember("backoffBreakers")).isFalse();
		assertThat(this.groups.get("readiness").isMember("backoffBreakers")).isFalse();

		this.orders.setDown(false);
		this.time.advance(Duration.ofMinutes(1));
		// no call has come yet, but its probe is due
		JSONAssert.assertEquals("{ 'state': 'half_open', 'calls': 6 }",
				get("/actuator/backoff/breakers/gateway").body(), false);
		JSONAssert.assertEquals(
				"{ 'components': { 'backoffBreakers': { 'details': { 'gateway': { 'state': 'half_open' } } } } }",
				get("/actuator/health").body(), false);
		for (int i = 0; i < 2; i++) {
			this.orders.place();
		}

		assertThat(lines(output, " WARN ", "OverloadLogger")).hasSize(2);
		assertThat(lines(output, " INFO ", "OverloadLogger")).satisfiesExactly(
				(line) -> assertThat(line).endsWith("Breaker gateway went from open to half-open"),
				(line) -> assertThat(line).endsWith("Breaker gateway went from half-open to closed"),
				(line) -> assertThat(line).endsWith("Budget orders has recovered: it held 1 of 2 tokens again"));
		assertThat(get("/actuator/prometheus").body().lines()).contains("backoff_budget_tokens{budget=\"orders\"} 1.0",
				"backoff_breaker_state{breaker=\"gateway\",state=\"open\"} 0.0",
				"backoff_breaker_state{breaker=\"gateway\",state=\"closed\"} 1.0",
				"backoff_breaker_transitions_total{breaker=\"gateway\",from=\"half_open\",to=\"closed\"} 1.0");
		JSONAssert.assertEquals("""
				{ "budgets": { "orders": { "balance": 1.0, "refused": 3, "dry": false } },
				  "breakers": { "gateway": { "state": "closed", "calls": 0, "rejected": 5 } } }
				""", get("/actuator/backoff").body(), false);
		JSONAssert.assertEquals("""
				{ "components": { "backoffBreakers": { "details": { "gateway": { "state": "closed" } } } } }
				""", get("/actuator/health").body(), false);
	}

	private static List<String> lines(CapturedOutput output, String level, String logger) {
		return output.getOut().lines().filter((line) -> line.contains(level) && line.contains(logger)).toList();
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		return LocalClient.on(this.port).send("GET", path, "", null);
	}

	public static class Orders {

		private boolean down;

		private int calls;

		// a proxy has fields of its own
		public void setDown(boolean down) {
			this.down = down;
		}

		public int calls() {
			return this.calls;
		}

		@Backoff("orders")
		public void place() throws IOException {
			this.calls++;
			if (this.down) {
				throw new IOException("down");
			}
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Orders.class, VirtualTime.class })
	static class Shop {

		@Bean
		RandomSource random() {
			return RandomSources.greatest();
		}

	}

}
