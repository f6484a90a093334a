package dev.backoff.spring.observation;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import ch.qos.logback.classic.Level;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** A real application with OpenTelemetry, whose spans are collected in memory. */
class TracingTests {

	private static ConfigurableApplicationContext context;

	private static TracedShop.Orders orders;

	@BeforeAll
	static void start() {
		context = new SpringApplicationBuilder(TracedShop.class).run("--server.port=0",
				"--spring.application.name=shop", "--backoff.observation.enabled=true",
				"--backoff.policies.orders.base=1ms", "--backoff.policies.orders.jitter=none",
				"--backoff.policies.orders.max-attempts=3", "--backoff.metrics.slo=10s",
				"--backoff.budgets.orders.tokens=1000", "--management.tracing.sampling.probability=1.0",
				"--management.endpoints.web.exposure.include=prometheus");
		orders = context.getBean(TracedShop.Orders.class);
	}

	@AfterAll
	static void stop() {
		context.close();
	}

	@BeforeEach
	void forget() {
		TracedShop.SPANS.reset();
	}

	@AfterEach
	void leavesNothingOpen() {
		assertThat(registry().getCurrentObservationScope()).isNull();
		assertThat(Span.current().getSpanContext().isValid()).isFalse();
	}

	@Test
	void callWithTwoFailuresIsOneSpanWithThreeBelow() {
		assertThat(orders.place("a", 2)).isEqualTo("a");
		SpanData call = call("Orders.place");
		List<SpanData> attempts = attempts("Orders.place");
		assertThat(call.getParentSpanContext().isValid()).isFalse();
		assertThat(attempts).hasSize(3).allSatisfy((attempt) -> {
			assertThat(attempt.getParentSpanId()).isEqualTo(call.getSpanId());
			assertThat(attempt.getTraceId()).isEqualTo(call.getTraceId());
			assertThat(attempt.getStartEpochNanos()).isGreaterThanOrEqualTo(call.getStartEpochNanos());
			assertThat(attempt.getEndEpochNanos()).isLessThanOrEqualTo(call.getEndEpochNanos());
			assertThat(attribute(attempt, "backoff.policy")).isEqualTo("orders");
			assertThat(attribute(attempt, "backoff.method")).isEqualTo("Orders.place");
		});
		assertThat(attempts).extracting((attempt) -> attribute(attempt, "backoff.outcome"))
			.containsExactly("transient", "transient", "success");
		assertThat(attempts).extracting((attempt) -> attribute(attempt, "backoff.resend_count"))
			.containsExactly(null, "1", "2");
		assertThat(attempts).extracting((attempt) -> attribute(attempt, "backoff.delay_ms"))
			.containsExactly(null, "1", "2");
		assertThat(attempts).extracting((attempt) -> attempt.getStatus().getStatusCode())
			.containsExactly(StatusCode.ERROR, StatusCode.ERROR, StatusCode.OK);
		// the waits are between the attempts, and in the call
		for (int i = 1; i < 3; i++) {
			assertThat(attempts.get(i).getStartEpochNanos() - attempts.get(i - 1).getEndEpochNanos())
				.isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(i) / 2);
		}
		assertThat(attribute(call, "backoff.policy")).isEqualTo("orders");
		assertThat(attribute(call, "backoff.method")).isEqualTo("Orders.place");
		assertThat(attribute(call, "backoff.stop")).isEqualTo("succeeded");
		assertThat(attribute(call, "backoff.recover")).isEqualTo("none");
		assertThat(attribute(call, "backoff.attempts")).isEqualTo("3");
		assertThat(attribute(call, "backoff.delay_total_ms")).isEqualTo("3");
		assertThat(call.getStatus().getStatusCode()).isEqualTo(StatusCode.OK);
		assertThat(call.getEvents()).extracting(EventData::getName)
			.containsExactly("wait 1 ms (policy)", "wait 2 ms (policy)");
	}

	@Test
	void whatAnAttemptDoesIsBelowIt() {
		orders.place("b", 2);
		assertThat(parents(named("work"))).containsExactlyElementsOf(ids(attempts("Orders.place")));
	}

	@Test
	void requestsAreBelowTheirAttempt() {
		assertThat(orders.stock(1)).isEqualTo("7");
		assertThat(parents(named("http get"))).containsExactlyElementsOf(ids(attempts("Orders.stock"))).hasSize(2);
	}

	@Test
	void callIsBelowWhatIsCurrent() {
		Observation request = Observation.start("request", registry());
		try (Observation.Scope scope = request.openScope()) {
			orders.place("c", 1);
			assertThat(registry().getCurrentObservation()).isSameAs(request);
			assertThat(registry().getCurrentObservationScope()).isSameAs(scope);
		}
		request.stop();
		assertThat(call("Orders.place").getParentSpanId()).isEqualTo(named("request").get(0).getSpanId());
	}

	@Test
	void attemptsOfAFutureAreBelowItsCall() throws Exception {
		Observation request = Observation.start("request", registry());
		try (Observation.Scope scope = request.openScope()) {
			assertThat(orders.later(2).get(60, TimeUnit.SECONDS)).isEqualTo("later");
			assertThat(registry().getCurrentObservationScope()).isSameAs(scope);
		}
		request.stop();
		SpanData call = call("Orders.later");
		assertThat(call.getParentSpanId()).isEqualTo(named("request").get(0).getSpanId());
		assertThat(parents(attempts("Orders.later"))).hasSize(3).containsOnly(call.getSpanId());
		assertThat(parents(named("work"))).containsExactlyElementsOf(ids(attempts("Orders.later")));
		assertThat(attribute(call, "backoff.attempts")).isEqualTo("3");
	}

	@Test
	void requestsOfAMonoAreBelowTheirAttempt() {
		Observation request = Observation.start("request", registry());
		assertThat(orders.mono(2).contextWrite((around) -> around.put("micrometer.observation", request)).block())
			.isEqualTo("7");
		request.stop();
		SpanData call = call("Orders.mono");
		assertThat(call.getParentSpanId()).isEqualTo(named("request").get(0).getSpanId());
		assertThat(parents(attempts("Orders.mono"))).hasSize(3).containsOnly(call.getSpanId());
		assertThat(parents(named("http get"))).containsExactlyElementsOf(ids(attempts("Orders.mono")));
	}

	@Test
	void workOfAFluxIsBelowItsAttempt() {
		List<Observation> seen = new CopyOnWriteArrayList<>();
		assertThat(orders.flux(1).doOnNext((element) -> {
			Observation current = registry().getCurrentObservation();
			if (current != null && current.getContext() instanceof BackoffAttemptContext) {
				seen.add(current);
			}
		}).collectList().block()).containsExactly("a", "b");
		assertThat(parents(attempts("Orders.flux"))).hasSize(2).containsOnly(call("Orders.flux").getSpanId());
		assertThat(parents(named("work"))).containsExactlyElementsOf(ids(attempts("Orders.flux")));
		assertThat(seen).isEmpty();
	}

	@Test
	void nestedCallIsBelowTheAttemptAroundIt() {
		assertThat(orders.outer(1)).isEqualTo("nested1");
		assertThat(parents(List.of(call("Orders.place")))).containsExactlyElementsOf(ids(attempts("Orders.outer")));
		assertThat(parents(attempts("Orders.place"))).hasSize(2).containsOnly(call("Orders.place").getSpanId());
	}

	@Test
	void failedCallHasItsFailure() {
		assertThatIllegalStateException().isThrownBy(() -> orders.place("d", 3));
		SpanData call = call("Orders.place");
		assertThat(call.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
		assertThat(attribute(call, "backoff.stop")).isEqualTo("attempts_exhausted");
		assertThat(attempts("Orders.place")).hasSize(3)
			.allSatisfy((attempt) -> assertThat(attempt.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR));
	}

	@Test
	void lineInTheLogHasTheSpanOfItsCall() {
		try (LogCapture log = new LogCapture(StopLogger.class, Level.WARN)) {
			assertThatIllegalStateException().isThrownBy(() -> orders.place("h", 3));
			SpanData call = call("Orders.place");
			assertThat(log.events(Level.WARN)).singleElement()
				.satisfies((line) -> assertThat(line.getMDCPropertyMap()).containsEntry("traceId", call.getTraceId())
					.containsEntry("spanId", call.getSpanId()));
		}
	}

	@Test
	void recoveryBelongsToTheCallAndSavesIt() {
		assertThat(orders.parked("e")).isEqualTo("parked");
		SpanData call = call("Orders.parked");
		assertThat(attribute(call, "backoff.recover")).isEqualTo("done");
		assertThat(attribute(call, "backoff.stop")).isEqualTo("attempts_exhausted");
		assertThat(call.getStatus().getStatusCode()).isEqualTo(StatusCode.OK);
		assertThat(parents(named("work"))).containsExactly(call.getSpanId());
	}

	@Test
	void metersHaveNoMessage() {
		orders.parked("f");
		assertThat(context.getBean(MeterRegistry.class).getMeters())
			.filteredOn((meter) -> meter.getId().getName().startsWith("backoff."))
			.isNotEmpty()
			.allSatisfy((meter) -> assertThat(meter.getId().toString()).doesNotContain("secret"));
	}

	@Test
	void timersOfAttemptsHaveExemplarsOfTheirSpans() throws Exception {
		assertThat(orders.sell(2)).isEqualTo("sold");
		String port = context.getEnvironment().getProperty("local.server.port");
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/prometheus"))
			.header("Accept", "application/openmetrics-text; version=1.0.0")
			.build();
		String scraped = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
		Pattern exemplar = Pattern.compile(
				"(?m)^backoff_attempts_seconds_bucket\\{(?=[^}]*attempt=\"3\")(?=[^}]*method=\"Orders.sell\")[^}]*}.* # \\{([^}]*)}");
		Matcher found = exemplar.matcher(scraped);
		assertThat(found.find()).as(scraped).isTrue();
		SpanData third = attempts("Orders.sell").get(2);
		assertThat(found.group(1)).contains("trace_id=\"" + third.getTraceId() + "\"",
				"span_id=\"" + third.getSpanId() + "\"");
	}

	private static ObservationRegistry registry() {
		return context.getBean(ObservationRegistry.class);
	}

	private static List<SpanData> named(String name) {
		return TracedShop.SPANS.getFinishedSpanItems()
			.stream()
			.filter((span) -> span.getName().equals(name))
			.sorted(Comparator.comparingLong(SpanData::getStartEpochNanos))
			.toList();
	}

	private static SpanData call(String method) {
		List<SpanData> calls = named(method + " call");
		assertThat(calls)
			.as(TracedShop.SPANS.getFinishedSpanItems().stream().map(SpanData::getName).toList().toString())
			.hasSize(1);
		return calls.get(0);
	}

	private static List<SpanData> attempts(String method) {
		return named(method + " attempt");
	}

	private static List<String> ids(List<SpanData> spans) {
		return spans.stream().map(SpanData::getSpanId).toList();
	}

	private static List<String> parents(List<SpanData> spans) {
		return spans.stream().map(SpanData::getParentSpanId).toList();
	}

	private static String attribute(SpanData span, String key) {
		return span.getAttributes().get(AttributeKey.stringKey(key));
	}

}
