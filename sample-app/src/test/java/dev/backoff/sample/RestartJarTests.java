package dev.backoff.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

import dev.backoff.sample.gateway.Gateway;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What durable calls make of a shop that is killed or stopped, and started again: the two
 * stories of the README, with shorter waits. The partners outlive the shop.
 */
@Execution(ExecutionMode.CONCURRENT)
@Tag("ci")
class RestartJarTests {

	private static final String WATCHES = "/actuator/backoff/payment-watch/durable";

	private static final String MAILS = "/actuator/backoff/mail-job/durable";

	@TempDir
	private Path directory;

	private Gateway partners;

	@BeforeEach
	void openPartners() throws IOException {
		this.partners = Gateway.start(0);
	}

	@AfterEach
	void closePartners() throws IOException {
		this.partners.close();
	}

	@Test
	void aPollingThatIsKilledGoesOnWhereItWas() throws Exception {
		String ladder = "--backoff.policies.payment-watch.ladder=100ms x5,500ms x5,1s";
		String first;
		String noticed;
		String id;
		int asked;
		try (ShopProcess shop = start(ladder)) {
			shop.fault("payment-status?pending&percent=100");
			first = shop.trade();
			noticed = shop.trade();
			JsonNode watch = watch(shop, first);
			id = watch.path("id").asString();
			assertThat(watch.path("isNew").asBoolean()).isTrue();
			JsonNode again = watch(shop, first);
			assertThat(again.path("id").asString()).as("a second submission").isEqualTo(id);
			assertThat(again.path("isNew").asBoolean()).isFalse();
			assertThat(watch(shop, noticed).path("isNew").asBoolean()).isTrue();
			await().until(() -> questions(shop, first) >= 6);
			shop.kill();
			asked = questions(shop, first);
		}
		try (ShopProcess shop = start(ladder)) {
			assertThat(shop.post("/payments/" + noticed + "/notice").join().statusCode()).isEqualTo(200);
			assertThat(status(shop, noticed)).isEqualTo("PAID");
			await().until(() -> questions(shop, first) > asked + 1);
			JsonNode call = stored(shop, WATCHES);
			assertThat(call.path("id").asString()).isEqualTo(id);
			// an attempt that was killed is not counted
			assertThat(call.path("attempts").asInt()).isGreaterThanOrEqualTo(asked);

			assertThat(shop.post("/actuator/backoff/payment-watch", "{\"deadline\": \"1s\"}")).isNotEmpty();
			String unanswered = shop.trade();
			watch(shop, unanswered);
			await().until(() -> status(shop, unanswered).equals("TIMEOUT"));
			assertThat(status(shop, first)).as("a call keeps its deadline").isEqualTo("PENDING");
		}
	}

	@Test
	void aRoundOfMailsThatIsStoppedGoesOnAfterTheRestart() throws Exception {
		String[] waits = { "--shop.mail.every=300ms", "--backoff.policies.mail-job.base=300ms" };
		String slot;
		try (ShopProcess shop = start(waits)) {
			shop.fault("mails?answer=503&percent=100");
			for (int order = 0; order < 3; order++) {
				shop.trade();
			}
			await().until(() -> stored(shop, MAILS).path("attempts").asInt() >= 2);
			slot = stored(shop, MAILS).path("id").asString();
			assertThat(shop.terminate(Duration.ofMinutes(1))).as("gone in time").isTrue();
		}
		try (ShopProcess shop = start(waits)) {
			assertThat(stored(shop, MAILS).path("id").asString()).as("the round that goes on").isEqualTo(slot);
			assertThat(stored(shop, MAILS).path("attempts").asInt()).isGreaterThanOrEqualTo(2);
			shop.fault("mails?clear");
			await().until(() -> shop.page("mails").path("applied").asInt() == 3);
			await().until(() -> !stored(shop, MAILS).path("id").asString().equals(slot));

			shop.fault("mails?answer=503&percent=100");
			shop.trade();
			// ten retries within a second
			assertThat(shop.post("/actuator/backoff/mail-job", "{\"base\": \"2ms\", \"cap\": \"100ms\"}")).isNotEmpty();
			await().until(() -> !calls(shop, MAILS).isEmpty());
			JsonNode letter = calls(shop, MAILS).get(0);
			assertThat(letter.path("attempts").asInt()).isEqualTo(11);
			assertThat(shop.meter("backoff_durable_calls{policy=\"mail-job\",state=\"dead\""))
				.as("what BackoffDeadLetters asks for")
				.isPositive();

			shop.fault("mails?clear");
			await().until(() -> shop.page("mails").path("applied").asInt() == 4);
			String requeue = "{\"action\": \"requeue\", \"id\": \"" + letter.path("id").asString() + "\"}";
			assertThat(shop.post(MAILS, requeue).path("due").asString()).isNotEmpty();
			await().until(
					() -> calls(shop, MAILS).stream().noneMatch((call) -> call.path("id").equals(letter.path("id"))));
			assertThat(shop.page("mails").path("applied").asInt()).as("mails of four orders").isEqualTo(4);
		}
	}

	private ShopProcess start(String... waits) throws IOException {
		List<String> arguments = new ArrayList<>(List.of(waits));
		arguments.addAll(List.of("--spring.profiles.active=durable", "--shop.gateway.url=" + this.partners.url(),
				"--backoff.durable.heartbeat=200ms", "--backoff.durable.poll-interval=200ms"));
		return ShopProcess.start(this.directory, arguments);
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(1));
	}

	private static JsonNode watch(ShopProcess shop, String trade) {
		return shop.post("/payments/" + trade + "/watch", "{}");
	}

	private static int questions(ShopProcess shop, String trade) {
		return (int) shop.page("payment-status")
			.path("last")
			.values()
			.stream()
			.filter((call) -> call.path("path").asString().equals("/payments/" + trade))
			.count();
	}

	private static String status(ShopProcess shop, String trade) {
		return shop.json("/payments/" + trade).path("status").asString();
	}

	private static List<JsonNode> calls(ShopProcess shop, String path) {
		return List.copyOf(shop.json(path).path("calls").values());
	}

	/** Return the only stored call, whether an attempt runs or it waits. */
	private static JsonNode stored(ShopProcess shop, String path) {
		return await().until(() -> {
			List<JsonNode> calls = new ArrayList<>(calls(shop, path + "?state=scheduled"));
			calls.addAll(calls(shop, path + "?state=running"));
			return (calls.size() == 1) ? calls.get(0) : null;
		}, (call) -> call != null);
	}

}
