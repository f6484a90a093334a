package dev.backoff.spring.actuate;

import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Test;
import org.skyscreamer.jsonassert.JSONAssert;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import dev.backoff.Retry;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;
import dev.backoff.spring.observation.CallStatistics;
import dev.backoff.spring.observation.CallStatistics.MethodCalls;
import dev.backoff.spring.policy.EffectivePolicy;

import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/** What changes, as {@code ?view=activity} tells it. */
class ActivityViewTests {

	private static final JsonMapper JSON = JsonMapper.builder()
		.changeDefaultPropertyInclusion((inclusion) -> inclusion.withValueInclusion(Include.NON_NULL))
		.build();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(BackoffAutoConfiguration.class, BackoffObservationAutoConfiguration.class,
						BackoffEndpointAutoConfiguration.class, EndpointAutoConfiguration.class))
		.withPropertyValues("management.endpoints.web.exposure.include=backoff", "spring.application.name=shop",
				"backoff.defaults.max-attempts=2", "backoff.defaults.jitter=none")
		.withBean(VirtualTime.class)
		.withBean(RandomSource.class, RandomSources::greatest)
		.withBean(Clock.class, () -> Clock.fixed(Instant.parse("2026-11-22T15:03:58Z"), ZoneOffset.UTC));

	private static String view(ApplicationContext context) {
		return JSON.writeValueAsString(context.getBean(BackoffEndpoint.class).policies("activity"));
	}

	private static MethodCalls counted(String method, long calls, long retries) {
		return new MethodCalls("orders", method, Map.of(StopReason.SUCCEEDED, calls), calls + retries, retries,
				Map.of());
	}

	private static void use(ApplicationContext context, String policy) throws IOException {
		Retry retry = context.getBean(BackoffMethods.class).retry(policy);
		assertThat(retry.call(() -> "done")).isEqualTo("done");
		assertThatIOException().isThrownBy(() -> retry.call(() -> {
			throw new IOException("down");
		}));
	}

	@Test
	void tellsCountersStatesAndTheLatestCalls() {
		this.runner
			.withPropertyValues("backoff.policies.orders.base=1s", "backoff.policies.orders.breaker=gateway",
					"backoff.breakers.gateway.open-for=20s", "management.endpoint.backoff.access=UNRESTRICTED")
			.withBean(EndpointContributor.class, Part::new)
			.withBean(CallStatistics.class,
					() -> new Counted(
							List.of(counted("OrderService.place", 1, 2), counted("OrderService.cancel", 10, 20))),
					(definition) -> definition.setPrimary(true))
			.run((context) -> {
				use(context, "orders");
				assertThat(context.getBean(BackoffMethods.class)
					.retry("orders")
					.callAsync(() -> failedFuture(new IOException("down")))).isNotDone();
				context.getBean(CircuitBreakers.class).get("gateway").open();
				context.getBean(BackoffEndpoint.class)
					.override("orders", new OperatorInput(Map.of("cap", "5s", "for", "30m")));
				JSONAssert.assertEquals(
						"""
								{ "at": "2026-11-22T15:03:58Z", "application": "shop", "writable": true,
								  "views": ["activity", "other-retries", "short"], "parts": ["keys", "plan", "worth"], "enabled": true, "retriesEnabled": true,
								  "overrides": {},
								  "policies": { "orders": { "calls": { "succeeded": 11 }, "attempts": 33, "retries": 22, "waiting": 1,
								    "overrides": { "cap": { "value": "5s" } } } },
								  "waiting": [ { "policy": "orders", "method": "orders", "attempt": 1, "dueInMs": 1000.0 } ],
								  "stopped": [ { "policy": "orders", "time": "2026-11-22T15:03:58Z", "method": "orders",
								    "stop": "attempts_exhausted", "attempts": 2, "waitsMs": [1000.0],
								    "failure": "java.io.IOException" } ],
								  "budgets": { "orders": { "balance": 48.1, "tokens": 50.0, "refused": 0, "dry": false,
								    "strikes": 0.0, "barred": 0 } },
								  "breakers": { "gateway": { "state": "open", "rejected": 0, "timeToProbeMs": 19999.999999,
								    "since": "2026-11-22T15:03:58Z", "changes": [
								      { "at": "2026-11-22T15:03:58Z", "from": "closed", "to": "open" } ] } } }
								""",
						view(context), false);
				assertThat(view(context)).doesNotContain("delays", "origin");
			});
	}

	@Test
	void keepsTheLastTwentyOfEachPolicy() {
		this.runner
			.withPropertyValues("backoff.defaults.budget=none", "backoff.policies.rare.base=1s",
					"backoff.policies.orders.base=1s")
			.run((context) -> {
				use(context, "rare");
				for (int call = 0; call < 30; call++) {
					use(context, "orders");
				}
				assertThat(JsonPath.<List<String>>read(view(context), "$.stopped[*].policy")).hasSize(21)
					.contains("rare");
			});
	}

	@Test
	void isReadOnlyByDefault() {
		this.runner.run((context) -> assertThat(JsonPath.<Boolean>read(view(context), "$.writable")).isFalse());
	}

	@Test
	void isSmallWithTwoHundredBusyPolicies() {
		List<String> names = IntStream.range(0, 200)
			.mapToObj((policy) -> "a-policy-with-a-name-" + "abcdefghij".charAt(policy / 20) + "-"
					+ "klmnopqrstuvwxyzabcd".charAt(policy % 20) + policy)
			.toList();
		List<MethodCalls> calls = names.stream()
			.map((name) -> new MethodCalls(name, name,
					Map.of(StopReason.SUCCEEDED, 120_000L, StopReason.ATTEMPTS_EXHAUSTED, 2_000L, StopReason.BUDGET,
							300L),
					141_000, 19_000, Map.of()))
			.toList();
		this.runner
			.withPropertyValues(
					names.stream().map((name) -> "backoff.policies." + name + ".base=1s").toArray(String[]::new))
			.withBean(CallStatistics.class, () -> new Counted(calls), (definition) -> definition.setPrimary(true))
			.run((context) -> {
				for (String name : names) {
					assertThat(context.getBean(BackoffMethods.class)
						.retry(name)
						.callAsync(() -> failedFuture(new IOException("down")))).isNotDone();
				}
				for (String name : names.subList(0, 25)) {
					use(context, name);
				}
				String view = view(context);
				assertThat(JsonPath.<Map<String, ?>>read(view, "$.policies")).hasSize(200);
				assertThat(JsonPath.<Map<String, ?>>read(view, "$.budgets")).hasSize(200);
				assertThat(JsonPath.<List<?>>read(view, "$.waiting")).hasSize(20);
				assertThat(JsonPath.<List<?>>read(view, "$.stopped")).hasSize(25);
				assertThat(view.length()).isLessThan(62 * 1024);
			});
	}

	/** Counters as a registry of meters would keep them. */
	record Counted(List<MethodCalls> all) implements CallStatistics {

		@Override
		public Optional<MethodCalls> of(String policy, String method) {
			return Optional.empty();
		}

	}

	static class Part implements EndpointContributor {

		@Override
		public String name() {
			return "plan";
		}

		@Override
		public Object read(EffectivePolicy policy, Map<String, String> parameters) {
			return Map.of();
		}

	}

}
