package dev.backoff.spring.http;

import java.time.Duration;
import java.util.List;

import io.micrometer.common.KeyValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.http.server.reactive.observation.ServerRequestObservationContext;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;

import dev.backoff.Attempt;
import dev.backoff.spring.configuration.HttpSettings;

import static org.assertj.core.api.Assertions.assertThat;

/** With the automatic propagation that Boot switches on by a property. */
class InboundWebFilterTests {

	private final InboundWebFilter filter = new InboundWebFilter(
			new HttpSettings(List.of(), HttpSettings.ATTEMPT, HttpSettings.DEADLINE, HttpSettings.IDEMPOTENCY));

	@BeforeEach
	void propagate() {
		Hooks.enableAutomaticContextPropagation();
	}

	@AfterEach
	void propagateNoMore() {
		Hooks.disableAutomaticContextPropagation();
	}

	@Test
	void blockingCodeOfAHandlerSeesTheDeadlineAndTheAttempt() {
		String[] seen = new String[2];
		Mono<Void> handled = this.filter.filter(exchange("60000", "2"),
				(exchange) -> Mono.fromCallable(() -> describe(Thread.currentThread()))
					.subscribeOn(Schedulers.boundedElastic())
					.doOnNext((text) -> seen[0] = text)
					.then(Mono.fromCallable(() -> seen[1] = describe(Thread.currentThread())))
					.then());
		handled.block(Duration.ofSeconds(30));
		assertThat(seen[0]).isEqualTo("2 true");
		assertThat(seen[1]).isEqualTo("2 true");
		assertThat(Attempt.current().timeLeft()).isNull();
		assertThat(MDC.get("backoff.attempt")).isNull();
		assertThat(Mono.fromCallable(() -> describe(Thread.currentThread()))
			.subscribeOn(Schedulers.boundedElastic())
			.block(Duration.ofSeconds(30))).isEqualTo("null false");
	}

	@Test
	void garbageIsIgnored() {
		String[] seen = new String[1];
		this.filter
			.filter(exchange("-5", "x"),
					(exchange) -> Mono.fromRunnable(() -> seen[0] = describe(Thread.currentThread())))
			.block(Duration.ofSeconds(30));
		assertThat(seen[0]).isEqualTo("null false");
	}

	@Test
	void theAttemptGoesIntoTheObservation() {
		MockServerWebExchange exchange = exchange("60000", "12");
		ServerRequestObservationContext context = new ServerRequestObservationContext(exchange.getRequest(),
				exchange.getResponse(), exchange.getAttributes());
		exchange.getAttributes().put(ServerRequestObservationContext.CURRENT_OBSERVATION_CONTEXT_ATTRIBUTE, context);
		this.filter.filter(exchange, (handled) -> Mono.empty()).block(Duration.ofSeconds(30));
		assertThat(context.getLowCardinalityKeyValues()).contains(KeyValue.of("backoff.attempt", "5+"));
	}

	@Test
	void comesSoonAfterTheObservation() {
		assertThat(this.filter.getOrder()).isEqualTo(Integer.MIN_VALUE + 10);
	}

	private static String describe(Thread thread) {
		return MDC.get("backoff.attempt") + " " + (Attempt.current().timeLeft() != null && thread.isAlive());
	}

	private static MockServerWebExchange exchange(String deadline, String attempt) {
		return MockServerWebExchange.from(MockServerHttpRequest.get("/")
			.header("X-Retry-Deadline-Ms", deadline)
			.header("X-Retry-Attempt", attempt));
	}

}
