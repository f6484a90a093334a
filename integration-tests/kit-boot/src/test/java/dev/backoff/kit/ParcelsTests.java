package dev.backoff.kit;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.restclient.test.autoconfigure.AutoConfigureMockRestServiceServer;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.test.web.client.MockRestServiceServer;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;

import dev.backoff.event.StopReason;
import dev.backoff.test.BackoffCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.client.match.MockRestRequestMatchers.requestTo;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withResourceNotFound;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withServiceUnavailable;

/** Faults below the method, so that its own handling of failures runs. */
@SpringBootTest
@AutoConfigureMockRestServiceServer
@Import(ParcelsTests.Stub.class)
class ParcelsTests {

	@Test
	void theMethodAnswersForAnUnknownParcel(@Autowired Parcels parcels, @Autowired MockRestServiceServer server,
			@Autowired BackoffCalls calls) {
		server.expect(requestTo("/parcels/p1")).andRespond(withServiceUnavailable());
		server.expect(requestTo("/parcels/p1")).andRespond(withResourceNotFound());
		assertThat(parcels.status("p1")).isEqualTo("unknown");
		assertThat(calls.of("Parcels.status")).attempts(2).succeeded();
	}

	@Test
	void aPostThatMayHaveBeenAppliedIsNotRepeated(@Autowired Parcels parcels, @Autowired BackoffCalls calls,
			@Autowired Stub stub) {
		stub.answers.addAll(List.of(HttpStatus.TOO_MANY_REQUESTS, HttpStatus.BAD_GATEWAY));
		StepVerifier.create(parcels.order("p1")).verifyError();
		assertThat(calls.of("Parcels.order")).attempts(2).stopped(StopReason.NOT_RETRYABLE);
	}

	static class Stub {

		final Queue<HttpStatus> answers = new ArrayDeque<>();

		@Bean
		WebClientCustomizer answersOfTheCarrier() {
			return (builder) -> builder.exchangeFunction(this::answer);
		}

		private Mono<ClientResponse> answer(ClientRequest request) {
			return Mono.just(ClientResponse.create(this.answers.remove())
				.request(new MockClientHttpRequest(request.method(), request.url()))
				.build());
		}

	}

}
