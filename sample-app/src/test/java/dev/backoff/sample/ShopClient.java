package dev.backoff.sample;

import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;

import org.springframework.boot.test.context.TestComponent;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;

import dev.backoff.sample.gateway.Gateway;

/** A client of the shop, which also plans the faults of the gateway. */
@Lazy
@TestComponent
public class ShopClient {

	private static final List<String> ROUTES = List.of("payments", "payment-status", "logistics", "notifications",
			"refunds", "mails", "tracking", "quotes", "answers");

	private final RestClient shop;

	private final RestClient gateway;

	ShopClient(Environment environment, Gateway gateway) {
		RestClient.Builder http = RestClient.builder()
			.defaultStatusHandler(HttpStatusCode::isError, (request, response) -> {
			});
		this.shop = http.clone()
			.baseUrl("http://localhost:" + environment.getRequiredProperty("local.server.port"))
			.build();
		this.gateway = http.clone().baseUrl(gateway.url()).build();
	}

	public ResponseEntity<JsonNode> get(String path) {
		return this.shop.get().uri(path).retrieve().toEntity(JsonNode.class);
	}

	public ResponseEntity<JsonNode> post(String path) {
		return this.shop.post().uri(path).retrieve().toEntity(JsonNode.class);
	}

	public ResponseEntity<JsonNode> order(String sku) {
		return order(sku, 1);
	}

	public ResponseEntity<JsonNode> order(String sku, int quantity) {
		return this.shop.post()
			.uri("/orders")
			.body(Map.of("sku", sku, "quantity", quantity))
			.retrieve()
			.toEntity(JsonNode.class);
	}

	/** Place an order without faults, and return its trade number. */
	public String trade() {
		return order("tea").getBody().path("trade").asString();
	}

	public int stock(String sku) {
		return get("/stock/" + sku).getBody().path("available").asInt();
	}

	/** Plan a fault, such as {@code payments?answer=503}. */
	public void fault(String plan) {
		ResponseEntity<Void> answer = this.gateway.post().uri("/faults/" + plan).retrieve().toBodilessEntity();
		if (!answer.getStatusCode().is2xxSuccessful()) {
			throw new IllegalArgumentException(plan);
		}
	}

	public void clearFaults() {
		ROUTES.forEach((route) -> fault(route + "?clear"));
	}

	/** Return the gateway's page of a route. */
	public JsonNode page(String route) {
		return this.gateway.get().uri("/calls").retrieve().body(JsonNode.class).path(route);
	}

	/** Return the calls of a path. */
	public List<JsonNode> calls(String route, String path) {
		return page(route).path("last")
			.values()
			.stream()
			.filter((call) -> call.path("path").asString().equals(path))
			.toList();
	}

	/** Return the delays that the endpoint shows for a policy, in milliseconds. */
	public List<String> plannedDelays(String policy) {
		JsonNode methods = get("/actuator/backoff").getBody().path("policies").path(policy).path("methods");
		return methods.values()
			.stream()
			.flatMap((method) -> method.path("delays").values().stream())
			.map((delay) -> String.valueOf(Math.round(delay.path("meanMs").asDouble())))
			.toList();
	}

	/** Return the value of the first line of the scrape that has all the parts, or 0. */
	public double meter(String... parts) {
		String scrape = this.shop.get().uri("/actuator/prometheus").retrieve().body(String.class);
		return scrape.lines()
			.filter((line) -> List.of(parts).stream().allMatch(line::contains))
			.mapToDouble((line) -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
			.findFirst()
			.orElse(0);
	}

}
