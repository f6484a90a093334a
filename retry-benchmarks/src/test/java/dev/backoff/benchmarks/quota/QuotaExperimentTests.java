package dev.backoff.benchmarks.quota;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.backoff.benchmarks.quota.QuotaProvider.Used;

import static org.assertj.core.api.Assertions.assertThat;

/** Trials with real servers; how many calls end depends on the machine. */
@Tag("ci")
class QuotaExperimentTests {

	@Test
	void providerServesItsBucketAndWhatIsRefilled() throws Exception {
		HttpClient client = HttpClient.newHttpClient();
		long start = System.nanoTime();
		try (QuotaProvider provider = new QuotaProvider(true, true)) {
			HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + provider.port() + "/work"))
				.build();
			List<CompletableFuture<HttpResponse<Void>>> sent = IntStream.range(0, 400)
				.mapToObj((number) -> client.sendAsync(request, BodyHandlers.discarding()))
				.toList();
			List<HttpResponse<Void>> refused = sent.stream()
				.map(CompletableFuture::join)
				.filter((response) -> response.statusCode() == 429)
				.toList();
			int refilled = (int) ((System.nanoTime() - start) / 1e9 * QuotaProvider.PER_SECOND) + 1;
			Used used = provider.used();
			assertThat(refused).hasSize(used.refused())
				.hasSizeBetween(400 - QuotaProvider.BURST - refilled, 400 - QuotaProvider.BURST)
				.allSatisfy(
						(response) -> assertThat(response.headers().map()).containsEntry("retry-after", List.of("1"))
							.containsEntry("x-ratelimit-limit-requests", List.of("100"))
							.containsKeys("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"));
			assertThat(used.goodput()).isBetween(0.5, 1.0);
		}
	}

	@Test
	void aFullBucketServesEachOfTheFirstCalls() throws Exception {
		assertThat(QuotaExperiment.run(Duration.ofSeconds(3))).hasSize(2 * Contender.values().length)
			.allMatch((row) -> row.matches("[^,]+,(true|false),[0-9]+,[0-9]+,0,[0-9]+,0,.*"))
			.anyMatch((row) -> row.matches("[^,]+,true,[0-9]+,[1-9].*"));
	}

}
