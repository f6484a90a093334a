package dev.backoff.sample;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for the shop as it was processed ahead of time, on a plain virtual machine. */
@Execution(ExecutionMode.CONCURRENT)
@EnabledIfSystemProperty(named = "shop.jar", matches = ".+",
		disabledReason = "there is no jar before the phase package")
class AheadOfTimeJarTests {

	private static final String ATTEMPTS = "backoff_attempts_seconds_count{attempt=\"%d\",method=\"OrderService.place\","
			+ "outcome=\"%s\",";

	@TempDir
	private Path directory;

	@Test
	void retriesAndCounts() throws IOException {
		try (ShopProcess shop = start()) {
			assertThat(shop.lines()).anyMatch((line) -> line.contains("Starting AOT-processed ShopApplication"));
			shop.fault("payments?answer=500&times=2");
			assertThat(shop.order().statusCode()).isEqualTo(201);
			assertThat(shop.meter(ATTEMPTS.formatted(2, "transient"))).isEqualTo(1);
			assertThat(shop.meter(ATTEMPTS.formatted(3, "success"))).isEqualTo(1);
			assertThat(shop.meter("backoff_calls_total{method=\"OrderService.place\"")).isEqualTo(1);
			assertThat(shop.get("/actuator/backoff").join().body()).contains("\"OrderService.place\"",
					"\"annotation on OrderService.place\"", "\"application.yml:");
		}
	}

	@Test
	@Tag("ci")
	void makesPlainCallsWhereItIsSwitchedOff() throws IOException {
		try (ShopProcess shop = start("--backoff.enabled=false")) {
			shop.fault("payments?answer=500");
			HttpResponse<String> answer = shop.order();
			assertThat(answer.statusCode()).isEqualTo(503);
			assertThat(answer.body()).doesNotContain("stop");
			assertThat(shop.meter("backoff_")).isZero();
			assertThat(shop.order().statusCode()).isEqualTo(201);
		}
	}

	@Test
	@Tag("ci")
	void makesFirstAttemptsOnlyWhereRetriesAreSwitchedOff() throws IOException {
		try (ShopProcess shop = start("--backoff.retries-enabled=false")) {
			shop.fault("payments?answer=500");
			assertThat(shop.order().body()).contains("\"stop\":\"DISABLED\"");
			assertThat(shop.meter(ATTEMPTS.formatted(1, "transient"))).isEqualTo(1);
			assertThat(shop.order().statusCode()).isEqualTo(201);
			assertThat(shop.meter("backoff_retries_total")).isZero();
		}
	}

	private ShopProcess start(String... arguments) throws IOException {
		return ShopProcess.start(this.directory, List.of("-Dspring.aot.enabled=true"), List.of(arguments));
	}

}
