package dev.backoff.sample;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/** Questions at once to a provider that answers ten at once and two a second. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("ci")
class QuotaJarTests {

	@TempDir
	private Path directory;

	@Test
	void asksNoFasterThanTheQuotaAllows() throws Exception {
		try (ShopProcess shop = ShopProcess.start(this.directory, List.of())) {
			shop.post("/answers?question=first").join();
			assertThat(IntStream.range(0, 20).mapToObj((number) -> shop.post("/answers?question=" + number)).toList())
				.extracting(CompletableFuture::join)
				.extracting(HttpResponse::statusCode)
				.containsOnly(200);
			JsonNode calls = shop.page("answers");
			assertThat(calls.path("applied").asInt()).isEqualTo(21);
			assertThat(calls.path("count").asInt()).as("requests, refused ones too").isLessThanOrEqualTo(22);
		}
	}

}
