package dev.backoff.spring.http;

import java.io.IOException;
import java.util.List;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.HttpMethod;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.SocketServer;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.readme.ClientsWithoutRetries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Redirects over real connections, with the clients of Spring Boot that follow them. */
class RedirectTests {

	/** A library below a client of Spring. */
	enum Library {

		JDK("imperative.factory=jdk", HttpClients.REST_CLIENT),

		APACHE("imperative.factory=http-components", HttpClients.REST_CLIENT),

		REACTOR_NETTY("reactive.connector=reactor", HttpClients.WEB_CLIENT),

		JDK_BELOW_WEB_CLIENT("reactive.connector=jdk", HttpClients.WEB_CLIENT);

		private final String property;

		private final HttpClients client;

		Library(String property, HttpClients client) {
			this.property = property;
			this.client = client;
		}

		ApplicationContextRunner runner() {
			return HttpClients.runner()
				.withPropertyValues("spring.http.clients." + this.property)
				.withBean(VirtualTime.class)
				.withBean(Orders.class);
		}

		/** Pay once, and return how that stopped. */
		RetriesStoppedException pay(AssertableApplicationContext context, String url) {
			Orders orders = context.getBean(Orders.class);
			Throwable failure = catchThrowable(() -> orders.pay(() -> this.client.post(context, url)));
			assertThat(failure).isNotNull();
			return RetriesStoppedException.of(failure);
		}

	}

	@Nested
	class WorkThatIsNotIdempotent {

		@ParameterizedTest
		@CsvSource({ "JDK,302", "JDK,303", "JDK,307", "APACHE,302", "APACHE,303", "APACHE,307", "REACTOR_NETTY,302",
				"REACTOR_NETTY,303", "REACTOR_NETTY,307", "JDK_BELOW_WEB_CLIENT,303" })
		void isAppliedOnceIfTheTargetOfTheRedirectCannotBeReached(Library library, int status) throws IOException {
			try (WorkServer server = WorkServer.answering(status,
					"Location: http://localhost:" + SocketServer.closedPort() + "/")) {
				library.runner().run((context) -> {
					assertMayBeApplied(library.pay(context, server.url()));
					assertThat(server.applied()).hasSize(1);
				});
			}
		}

		/* The exception names the host that the first request reached. */
		@ParameterizedTest
		@EnumSource
		void isAppliedOnceIfTheSameHostCannotBeReachedAnyMore(Library library) throws IOException {
			try (WorkServer server = WorkServer.redirectingOnce(303)) {
				library.runner().run((context) -> {
					assertMayBeApplied(library.pay(context, server.url()));
					assertThat(server.applied()).hasSize(1);
				});
			}
		}

		@ParameterizedTest
		@EnumSource
		void mayBeAppliedWhereAConnectionFailsWithRedirectsOn(Library library) {
			library.runner()
				.run((context) -> assertMayBeApplied(
						library.pay(context, "http://localhost:" + SocketServer.closedPort() + "/work")));
		}

		@ParameterizedTest
		@EnumSource
		void isTriedAgainWhereAConnectionFailsWithoutRedirects(Library library) {
			library.runner().withPropertyValues("spring.http.clients.redirects=dont-follow").run((context) -> {
				RetriesStoppedException report = library.pay(context,
						"http://localhost:" + SocketServer.closedPort() + "/work");
				assertThat(report.reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
				assertThat(report.attempts()).isEqualTo(4);
			});
		}

		@ParameterizedTest
		@EnumSource
		void isTriedAgainAfterARefusalForLoad(Library library) throws IOException {
			try (WorkServer server = WorkServer.answering(429, "X-A: b")) {
				library.runner()
					.withUserConfiguration(ClientsWithoutRetries.class)
					.run((context) -> assertThat(library.pay(context, server.url()).attempts()).isEqualTo(4));
			}
		}

		private static void assertMayBeApplied(RetriesStoppedException report) {
			assertThat(report.reason()).isEqualTo(StopReason.NOT_RETRYABLE);
			assertThat(report).hasMessageContaining("the work may have been applied and is not idempotent");
		}

	}

	@Nested
	class Headers {

		@ParameterizedTest
		@EnumSource(names = { "APACHE", "REACTOR_NETTY" })
		void doNotTravelToATargetThatIsNotListed(Library library) throws IOException {
			try (WorkServer target = new WorkServer(0);
					WorkServer server = WorkServer.answering(307, "Location: " + target.url())) {
				assertThat(attemptsSeen(library, server, target, "localhost:" + server.port())).isEmpty();
			}
		}

		@ParameterizedTest
		@EnumSource(names = { "APACHE", "REACTOR_NETTY" })
		void travelToATargetThatIsListed(Library library) throws IOException {
			try (WorkServer target = new WorkServer(0);
					WorkServer server = WorkServer.answering(307, "Location: " + target.url())) {
				assertThat(attemptsSeen(library, server, target, "localhost")).containsExactly("1");
			}
		}

		@ParameterizedTest
		@EnumSource(names = { "JDK", "JDK_BELOW_WEB_CLIENT" })
		void areCopiedToEveryTargetByClientsThatCannotBeTold(Library library) throws IOException {
			try (WorkServer target = new WorkServer(0);
					WorkServer server = WorkServer.answering(307, "Location: " + target.url())) {
				assertThat(attemptsSeen(library, server, target, "localhost:" + server.port())).containsExactly("1");
			}
		}

		@Test
		void ofTheApplicationAreLeftAsTheyAre() throws IOException {
			try (WorkServer target = new WorkServer(0);
					WorkServer server = WorkServer.answering(307, "Location: " + target.url())) {
				Library.APACHE.runner().withPropertyValues("backoff.http.hosts=payments.example.com").run((context) -> {
					HttpClients.REST_CLIENT.send(context, HttpMethod.POST, server.url(),
							(headers) -> headers.set("Idempotency-Key", "mine"));
					assertThat(target.values("Idempotency-Key")).containsExactly("mine");
				});
			}
		}

		private static List<String> attemptsSeen(Library library, WorkServer server, WorkServer target, String hosts) {
			library.runner().withPropertyValues("backoff.http.hosts=" + hosts).run((context) -> {
				context.getBean(Orders.class).pay(() -> library.client.post(context, server.url()));
				assertThat(server.values("X-Retry-Attempt")).containsExactly("1");
				assertThat(target.applied()).hasSize(1);
			});
			return target.values("X-Retry-Attempt");
		}

	}

	public static class Orders {

		@Backoff(idempotent = "no")
		public void pay(Runnable request) {
			request.run();
		}

	}

}
