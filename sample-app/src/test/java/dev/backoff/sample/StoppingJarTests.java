package dev.backoff.sample;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Terminate the shop by a signal while calls of every kind wait for minutes: on the
 * threads of requests, of the executor and of the scheduler, and without a thread.
 */
@Execution(ExecutionMode.CONCURRENT)
@Tag("ci")
class StoppingJarTests {

	/** Long before the five minutes that calls wait. */
	private static final Duration GONE = Duration.ofMinutes(1);

	@TempDir
	private Path directory;

	static Stream<Boolean> virtualThreads() {
		return (Runtime.version().feature() < 21) ? Stream.of(false) : Stream.of(false, true);
	}

	@ParameterizedTest(name = "virtual threads: {0}")
	@MethodSource("virtualThreads")
	void endsEveryWaitingCallWithOneLineAndAnswersEveryCaller(boolean virtual) throws Exception {
		List<String> arguments = new ArrayList<>(
				List.of("--shop.mail.every=200ms", "--spring.threads.virtual.enabled=" + virtual));
		for (String policy : List.of("payment-callback", "payment-polling", "refund", "order-mail", "mail-job",
				"tracking")) {
			arguments.add("--backoff.policies." + policy + ".ladder=5m x3");
			arguments.add("--backoff.policies." + policy + ".deadline=none");
		}
		try (ShopProcess shop = ShopProcess.start(this.directory, arguments)) {
			String trade = shop.trade();
			// its mail is sent in the background
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.until(() -> shop.page("mails").path("applied").asInt() == 1);
			shop.fault("notifications?answer=503&percent=100");
			shop.fault("refunds?answer=503&percent=100");
			shop.fault("mails?answer=503&percent=100");
			shop.fault("payment-status?pending&percent=100");
			String other = shop.trade();
			List<CompletableFuture<HttpResponse<String>>> callbacks = List
				.of(shop.post("/payments/" + trade + "/callback"), shop.post("/payments/" + other + "/callback"));
			List<CompletableFuture<HttpResponse<String>>> refunds = List.of(shop.post("/payments/" + trade + "/refund"),
					shop.post("/payments/" + other + "/refund"));
			CompletableFuture<HttpResponse<String>> poll = shop.post("/payments/" + trade + "/poll");
			shop.fault("tracking?answer=503&percent=100");
			CompletableFuture<HttpResponse<String>> tracking = shop.get("/orders/1/tracking");
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThat(shop.meter("backoff_waiting")).isEqualTo(8));

			List<CompletableFuture<HttpResponse<String>>> failing = new ArrayList<>(refunds);
			failing.add(poll);
			failing.add(tracking);
			assertThat(shop.terminate(GONE)).as("gone within %s of the signal", GONE).isTrue();

			assertThat(answers(callbacks)).allSatisfy((answer) -> {
				assertThat(answer.statusCode()).isEqualTo(202);
				assertThat(answer.body()).contains("PARKED");
			});
			assertThat(answers(failing)).allSatisfy((answer) -> {
				assertThat(answer.statusCode()).isEqualTo(503);
				assertThat(answer.body()).contains("\"stop\":\"SHUTDOWN\"");
			});
			assertThat(stops(shop)).containsExactlyInAnyOrder("MerchantNotifier.send", "MerchantNotifier.send",
					"RefundService.refund", "RefundService.refund", "PaymentPoller.poll", "OrderMails.confirm",
					"TrackingService.track", "MailJob.send");
		}
	}

	private static List<HttpResponse<String>> answers(List<CompletableFuture<HttpResponse<String>>> calls)
			throws Exception {
		List<HttpResponse<String>> answers = new ArrayList<>();
		for (CompletableFuture<HttpResponse<String>> call : calls) {
			answers.add(call.get(30, TimeUnit.SECONDS));
		}
		return answers;
	}

	/** Return the methods whose calls ended because of the shutdown, in order. */
	private static List<String> stops(ShopProcess shop) {
		return shop.lines()
			.stream()
			.filter((line) -> line.contains("StopLogger") && line.contains(": SHUTDOWN, "))
			.map((line) -> line.replaceFirst(".*\\); (\\S+).*", "$1"))
			.toList();
	}

}
