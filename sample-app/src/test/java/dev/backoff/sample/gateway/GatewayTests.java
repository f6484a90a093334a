package dev.backoff.sample.gateway;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests for {@link Gateway}. */
class GatewayTests {

	private final HttpClient http = HttpClient.newHttpClient();

	private Gateway gateway;

	@BeforeEach
	void start() throws IOException {
		this.gateway = Gateway.start(0);
	}

	@AfterEach
	void stop() throws IOException {
		this.gateway.close();
	}

	@Test
	void saysWhichPortIsInUse() {
		int port = this.gateway.url().getPort();
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> Gateway.start(port))
			.withMessage("Port " + port + " of the gateway is in use: end what listens there, or set "
					+ "shop.gateway.port to another one, or to 0 for any");
	}

	@Test
	void answersWhenNothingIsPlanned() throws Exception {
		assertThat(pay("a").body()).isEqualTo("{\"status\":\"AUTHORISED\"}");
	}

	@ParameterizedTest
	@CsvSource({ "payments?answer=503&times=2, 503 503 200", "payments?answer=400, 400 200",
			"payments?answer=500&times=9 payments?clear, 200", "quotes?answer=500&times=9, 200",
			"payments?answer=500&percent=0, 200 200 200 200", "payments?answer=500&percent=100, 500 500 500 500" })
	void failsAsTold(String plans, String answers) throws Exception {
		for (String plan : plans.split(" ", -1)) {
			fault(plan);
		}
		List<Integer> expected = Stream.of(answers.split(" ", -1)).map(Integer::valueOf).toList();
		assertThat(statuses(expected.size())).isEqualTo(expected);
	}

	@Test
	void sendsRetryAfter() throws Exception {
		fault("payments?answer=429&retry-after=2");
		assertThat(pay("a").headers().firstValue("Retry-After")).hasValue("2");
	}

	@Test
	void hangs() throws Exception {
		fault("payments?hang=10s");
		HttpRequest request = payment("a").timeout(Duration.ofMillis(100)).build();
		assertThatExceptionOfType(HttpTimeoutException.class)
			.isThrownBy(() -> this.http.send(request, BodyHandlers.ofString()));
	}

	@Test
	void hangsAndThenAnswers() throws Exception {
		fault("payments?hang=50ms");
		long start = System.nanoTime();
		assertThat(pay("a").statusCode()).isEqualTo(200);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
	}

	@ParameterizedTest
	@CsvSource({ "reset, 0", "apply-and-reset, 1" })
	void resetsWithoutOrAfterTheWork(String fault, int applied) throws Exception {
		fault("payments?" + fault);
		assertThatExceptionOfType(SocketException.class).isThrownBy(this::payOverAPlainSocket)
			.withMessage("Connection reset");
		assertThat(calls()).contains("\"payments\":{\"count\":1,\"applied\":" + applied + ",");
	}

	@Test
	void doesTheWorkOncePerKey() throws Exception {
		pay("a");
		pay("a");
		pay("b");
		assertThat(calls()).contains("\"payments\":{\"count\":3,\"applied\":2,").contains("\"key\":\"a\"");
	}

	@Test
	void failsTheSamePartOfTheCallsForTheSameSeed() throws Exception {
		fault("payments?answer=500&percent=30&seed=7");
		List<Integer> first = statuses(100);
		fault("payments?answer=500&percent=30&seed=7");
		assertThat(statuses(100)).isEqualTo(first);
		assertThat(first.stream().filter((status) -> status == 500).count()).isBetween(15L, 45L);
	}

	@ParameterizedTest
	@CsvSource({ "payments?clear, PENDING PENDING PAID", "payment-status?pending&times=3, PENDING PENDING PENDING" })
	void reportsPaidFromTheThirdQuestionUnlessToldOtherwise(String plan, String reported) throws Exception {
		fault(plan);
		assertThat(Stream.of(reported.split(" ")))
			.allSatisfy((status) -> assertThat(body("/payments/T1")).isEqualTo("{\"status\":\"" + status + "\"}"));
	}

	@Test
	void readsBodiesOfUnknownLength() throws Exception {
		byte[] body = new byte[10_000];
		HttpRequest request = HttpRequest.newBuilder(this.gateway.url().resolve("/notifications"))
			.POST(BodyPublishers.ofByteArrays(List.of(body, body)))
			.build();
		assertThat(this.http.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "payments", "payments?hag=5s", "payments?answer=x", "payments?answer=500&times=x", "x?reset" })
	void refusesFaultsItDoesNotKnow(String plan) throws Exception {
		assertThat(post("/faults/" + plan).statusCode()).isEqualTo(400);
	}

	@ParameterizedTest
	@ValueSource(strings = { "100.1", "-1", "NaN", "much" })
	void refusesPartsThatAreNone(String percent) throws Exception {
		assertThat(post("/faults/payments?answer=500&percent=" + percent).statusCode()).isEqualTo(400);
		assertThat(pay("a").statusCode()).isEqualTo(200);
	}

	@Test
	void refusesPathsItDoesNotKnow() throws Exception {
		assertThat(post("/elsewhere").statusCode()).isEqualTo(404);
	}

	private List<Integer> statuses(int calls) throws Exception {
		Integer[] statuses = new Integer[calls];
		for (int i = 0; i < calls; i++) {
			statuses[i] = pay("key " + i).statusCode();
		}
		return List.of(statuses);
	}

	private HttpResponse<String> pay(String key) throws IOException, InterruptedException {
		return this.http.send(payment(key).build(), BodyHandlers.ofString());
	}

	/* The JDK's HTTP client reports a reset as an end of the stream. */
	private void payOverAPlainSocket() throws IOException {
		URI url = this.gateway.url();
		try (Socket socket = new Socket(url.getHost(), url.getPort())) {
			socket.getOutputStream().write("POST /payments/T1 HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
			assertThat(socket.getInputStream().read()).isNotNegative();
		}
	}

	private HttpRequest.Builder payment(String key) {
		return HttpRequest.newBuilder(this.gateway.url().resolve("/payments/T1"))
			.header("Idempotency-Key", '"' + key + '"')
			.POST(BodyPublishers.ofString("{}"));
	}

	private void fault(String plan) throws Exception {
		assertThat(post("/faults/" + plan).statusCode()).isEqualTo(200);
	}

	private HttpResponse<String> post(String path) throws Exception {
		URI uri = this.gateway.url().resolve(path);
		return this.http.send(HttpRequest.newBuilder(uri).POST(BodyPublishers.noBody()).build(),
				BodyHandlers.ofString());
	}

	private String calls() {
		return body("/calls");
	}

	private String body(String path) {
		HttpRequest request = HttpRequest.newBuilder(this.gateway.url().resolve(path)).build();
		return this.http.sendAsync(request, BodyHandlers.ofString()).join().body();
	}

}
