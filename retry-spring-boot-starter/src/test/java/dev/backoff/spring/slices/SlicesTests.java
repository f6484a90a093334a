package dev.backoff.spring.slices;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.boot.restclient.test.autoconfigure.RestClientTest;
import org.springframework.boot.webclient.test.autoconfigure.WebClientTest;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import dev.backoff.spring.slices.Application.Service;

import static org.assertj.core.api.Assertions.assertThat;

/** A test of a part of an application retries as the whole does. */
class SlicesTests {

	@Nested
	@WebMvcTest(Application.Controller.class)
	class OfServlets {

		@Test
		void retry(@Autowired MockMvcTester mvc) {
			assertThat(mvc.get().uri("/answer")).hasStatusOk().hasBodyTextEqualTo("answered");
		}

	}

	@Nested
	@WebFluxTest(controllers = Application.Controller.class, properties = "spring.main.web-application-type=reactive")
	class OfReactiveHandlers {

		@Test
		void retry(@Autowired WebTestClient client) {
			client.get().uri("/answer").exchange().expectBody(String.class).isEqualTo("answered");
		}

	}

	@Nested
	@RestClientTest(Service.class)
	class OfRestClients {

		@Test
		void retry(@Autowired Service service) {
			assertThat(service.answer()).isEqualTo("answered");
		}

	}

	@Nested
	@WebClientTest(Service.class)
	class OfWebClients {

		@Test
		void retry(@Autowired Service service) {
			assertThat(service.answer()).isEqualTo("answered");
		}

	}

	@Nested
	@JdbcTest
	class OfDatabases {

		@Test
		void retry(@Autowired Service service) {
			assertThat(service.answer()).isEqualTo("answered");
		}

	}

}
