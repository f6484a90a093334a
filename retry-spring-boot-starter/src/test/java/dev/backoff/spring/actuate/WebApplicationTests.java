package dev.backoff.spring.actuate;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.skyscreamer.jsonassert.Customization;
import org.skyscreamer.jsonassert.JSONAssert;
import org.skyscreamer.jsonassert.JSONCompareMode;
import org.skyscreamer.jsonassert.comparator.CustomComparator;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.micrometer.metrics.test.autoconfigure.AutoConfigureMetrics;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;

import dev.backoff.Retry;
import dev.backoff.annotation.Backoff;
import dev.backoff.delay.RandomSource;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.advice.BackoffMethods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/** A real web application over real HTTP. */
class WebApplicationTests {

	private static HttpResponse<String> send(String method, int port, String path)
			throws IOException, InterruptedException {
		return LocalClient.on(port).send(method, path, "", null);
	}

	@Nested
	@DirtiesContext
	@AutoConfigureMetrics
	@ExtendWith(OutputCaptureExtension.class)
	@SpringBootTest(classes = Shop.class, webEnvironment = WebEnvironment.RANDOM_PORT,
			properties = { "management.endpoints.web.exposure.include=backoff,prometheus",
					"backoff.defaults.max-attempts=3", "backoff.policies.mail-out.base=2s",
					"backoff.policies.mail-out.jitter=20%", "backoff.policies.mail-out.deadline=1m" })
	class Exposed {

		@LocalServerPort
		private int port;

		@Autowired
		private Orders orders;

		@Test
		void showsEverything() throws Exception {
			HttpResponse<String> response = send("GET", this.port, "/actuator/backoff");
			assertThat(response.statusCode()).isEqualTo(200);
			JSONAssert.assertEquals(expected(), response.body(), new CustomComparator(JSONCompareMode.STRICT,
					new Customization("**.activity", (shown, expected) -> true)));
		}

		private static String expected() throws IOException {
			try (InputStream file = WebApplicationTests.class.getResourceAsStream("two-policies.json")) {
				return new String(file.readAllBytes(), StandardCharsets.UTF_8);
			}
		}

		@Test
		void showsOnePolicyByAnySpelling() throws Exception {
			String shown = send("GET", this.port, "/actuator/backoff/mail-out").body();
			for (String spelling : new String[] { "MailOut", "MAIL_OUT", "mailout" }) {
				HttpResponse<String> response = send("GET", this.port, "/actuator/backoff/" + spelling);
				assertThat(response.statusCode()).isEqualTo(200);
				JSONAssert.assertEquals(shown, response.body(), true);
			}
			assertThat(send("GET", this.port, "/actuator/backoff/Orders.place").statusCode()).isEqualTo(200);
		}

		@Test
		void publishesZerosThenCounts(CapturedOutput output) throws Exception {
			String exhausted = "backoff_calls_total{method=\"Orders.place\",policy=\"Orders.place\","
					+ "stop=\"attempts_exhausted\"} ";
			String before = send("GET", this.port, "/actuator/prometheus").body();
			assertThat(before.lines()).contains(exhausted + "0.0");
			assertThatIOException().isThrownBy(this.orders::place);
			assertThat(send("GET", this.port, "/actuator/prometheus").body().lines()).contains(exhausted + "1.0");
			assertThat(output.getOut().lines().filter((line) -> line.contains(" WARN "))).singleElement()
				.asString()
				.contains("Stopped after 3 of 3 attempts in 2.7 s: ATTEMPTS_EXHAUSTED (policy Orders.place; waits "
						+ "900 ms, 1.8 s; attempts 0 ms, 0 ms, 0 ms)");
		}

	}

	@Nested
	@DirtiesContext
	@AutoConfigureMetrics
	@SpringBootTest(classes = Shop.class, webEnvironment = WebEnvironment.RANDOM_PORT,
			properties = { "management.endpoints.web.exposure.include=backoff,prometheus",
					"backoff.policies.mail-out.max-attempts=3" })
	class Earning {

		@LocalServerPort
		private int port;

		@Autowired
		private BackoffMethods methods;

		@Test
		void showsWhatRetriesEarn() throws Exception {
			Retry retry = this.methods.retry("mail-out");
			ScriptedOperation<String> once = ScriptedOperation.<String>script()
				.fails(new ConnectException())
				.returns("good");
			assertThat(retry.call(once)).isEqualTo("good");
			assertThat(retry.<String, Exception>call(() -> "good")).isEqualTo("good");
			assertThatIOException()
				.isThrownBy(() -> retry.call(ScriptedOperation.script().fails(3, ConnectException::new)));
			JSONAssert.assertEquals(
					"""
							{ "since": "2026-11-29T10:00:00Z", "total": "1 calls rescued by 3 retries", "rescued": 1, "retries": 3,
							  "attempts": {
							    "2": { "made": 2, "rescued": 1, "chance": 0.5, "ofCalls": 0.3333, "ofLoad": 0.3333 },
							    "3": { "made": 1, "rescued": 0, "chance": 0.0, "ofCalls": 0.0, "ofLoad": 0.1667 } },
							  "causes": {
							    "connect": { "made": 3, "rescued": 1, "chance": 0.3333, "ofCalls": 0.3333, "ofLoad": 0.5 } },
							  "advice": [] }
							""",
					send("GET", this.port, "/actuator/backoff/mail-out/worth").body(),
					new CustomComparator(JSONCompareMode.STRICT, new Customization("since",
							(shown, expected) -> Instant.parse((String) shown).isAfter(Instant.EPOCH))));
			assertThat(send("GET", this.port, "/actuator/prometheus").body().lines())
				.contains("backoff_rescued_total{cause=\"connect\",method=\"mail-out\",policy=\"mail-out\"} 1.0");
		}

	}

	public static class Orders {

		@Backoff(base = "900ms")
		public void place() throws IOException {
			throw new IOException("down");
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
