package dev.backoff.spring.advice;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.client.HttpClientErrorException;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.pace.Pace;
import dev.backoff.pace.PacedException;
import dev.backoff.pace.QuotaReading;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.spring.safety.Paces;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Methods that name a pace, by their annotation or in the configuration. */
@ExtendWith(OutputCaptureExtension.class)
class PacedMethodsTests {

	private final ApplicationContextRunner runner = AdviceContexts.runner()
		.withConfiguration(AutoConfigurations.of(BackoffObservationAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withBean("applicationTaskExecutor", Executor.class, () -> Runnable::run)
		.withBean(Ai.class)
		.withPropertyValues("backoff.policies.embeddings.pace=openai");

	private static void refuse(AssertableApplicationContext context, @Nullable String tenant) {
		assertThat(context.getBean(Ai.class).chat(tenant, true)).isCompletedExceptionally();
	}

	private static Duration waited(AssertableApplicationContext context, Supplier<CompletableFuture<String>> call) {
		VirtualTime time = context.getBean(VirtualTime.class);
		Duration before = time.elapsed();
		CompletableFuture<String> result = call.get();
		while (!result.isDone()) {
			assertThat(time.runNext()).isTrue();
		}
		assertThat(result).isCompletedWithValue("fine");
		return time.elapsed().minus(before);
	}

	private static Pace pace(AssertableApplicationContext context) {
		return context.getBean(OverloadSafety.class).paces().of("chat");
	}

	@ParameterizedTest
	@CsvSource({ ",20", "10s,10", "1m,20" })
	void refusalOfOneMethod_holdsAllWithItsPace(@Nullable String maxHold, int seconds) {
		this.runner
			.withPropertyValues(
					(maxHold != null) ? new String[] { "backoff.paces.open-ai.max-hold=" + maxHold } : new String[0])
			.run((context) -> {
				Ai ai = context.getBean(Ai.class);
				assertThat(waited(context, ai::later)).isZero();
				refuse(context, null);
				assertThat(waited(context, ai::free)).isZero();
				assertThat(waited(context, () -> ai.reactive().toFuture())).isEqualTo(Duration.ofSeconds(seconds));
				// at the learned rate
				assertThat(waited(context, ai::later)).isPositive();
				VirtualTime time = context.getBean(VirtualTime.class);
				int before = time.delays().size();
				time.whileSleeping((nanos) -> time.runDue());
				assertThat(ai.blocking()).isEqualTo("fine");
				assertThat(time.delays()).hasSizeGreaterThan(before);
			});
	}

	@Test
	void keys_havePacesOfTheirOwn() {
		this.runner.run((context) -> {
			Ai ai = context.getBean(Ai.class);
			refuse(context, "acme");
			assertThat(waited(context, () -> ai.chat("other", false))).isZero();
			assertThat(waited(context, ai::later)).isZero();
			assertThat(waited(context, () -> ai.chat("acme", false))).isEqualTo(Duration.ofSeconds(20));
			assertThat(context.getBean(MeterRegistry.class)
				.get("backoff.keys")
				.tags("kind", "pace", "name", "openai")
				.gauge()
				.value()).isEqualTo(2);
		});
	}

	@Test
	void numbers_changeWhileCallsAreHeld(CapturedOutput output) {
		this.runner.run((context) -> {
			refuse(context, null);
			TestPropertyValues.of("backoff.paces.openai.max-waiting=0", "backoff.paces.openai.max-hold=5s")
				.applyTo(context);
			assertThat(context.getBean(LiveConfiguration.class).refresh("a test")).isTrue();
			assertThat(pace(context).status().held()).isEqualTo(Duration.ofSeconds(5));
			assertThat(output).contains("pace openai: max-hold none -> 5s", "pace openai: max-waiting none -> 0");
			Throwable failure = catchThrowable(context.getBean(Ai.class)::blocking);
			assertThat(failure).isInstanceOf(PacedException.class);
			assertThat(RetriesStoppedException.of(failure).reason()).isEqualTo(StopReason.PACE);
		});
	}

	@Test
	void holdsAndWaits_loggedOnceAMinuteAndCounted(CapturedOutput output) {
		this.runner.run((context) -> {
			Pace pace = pace(context);
			VirtualTime time = context.getBean(VirtualTime.class);
			refuse(context, null);
			pace.release();
			refuse(context, "acme");
			assertThat(output.getOut().lines().filter((line) -> line.contains("Pace openai is held"))).singleElement()
				.asString()
				.contains("INFO")
				.endsWith("Pace openai is held for 20 s by a hint of the server; waiting calls: 0");
			CompletableFuture<String> waiting = context.getBean(Ai.class).chat("acme", false);
			assertThat(meter(context, "backoff.pace.holds", "pace", "openai")).isEqualTo(2);
			assertThat(meter(context, "backoff.pace.waiting", "pace", "openai")).isEqualTo(1);
			assertThat(meter(context, "backoff.calls", "policy", "chat", "stop", "pace")).isZero();
			time.runAll();
			assertThat(waiting).isCompletedWithValue("fine");
			assertThat(meter(context, "backoff.pace.waiting", "pace", "openai")).isZero();
			Timer wait = context.getBean(MeterRegistry.class).get("backoff.pace.wait").tag("pace", "openai").timer();
			assertThat(wait.count()).isOne();
			assertThat(wait.totalTime(TimeUnit.SECONDS)).isEqualTo(20);
			tell(context, pace, 60);
			tell(context, pace.keys().values().get("acme"), 30);
			assertThat(meter(context, "backoff.pace.waiting", "pace", "openai")).isZero();
			assertThat(meter(context, "backoff.pace.remaining", "pace", "openai", "quota", "requests")).isEqualTo(0.3);
			pace.throttled(time.nanoTime(), Duration.ofSeconds(9).toNanos(), time.nanoTime());
			assertThat(pace.status().held()).isPositive();
			context.getBean(OverloadSafety.class).reset();
			assertThat(Paces.statuses(pace)).hasSize(2)
				.containsOnly(new Pace.Status(Duration.ZERO, Duration.ZERO, 0, 0, List.of(), 0));
		});
	}

	@Test
	void rateThatFallsBelowATenth_warnedOf(CapturedOutput output) {
		this.runner.run((context) -> {
			VirtualTime time = context.getBean(VirtualTime.class);
			Pace pace = pace(context);
			for (int i = 0; i < 100; i++) {
				pace.succeeded(time.nanoTime(), time.nanoTime());
			}
			for (int i = 0; i < 30; i++) {
				pace.throttled(time.nanoTime(), Duration.ofSeconds(1).toNanos(), time.nanoTime());
				time.advance(Duration.ofSeconds(59));
			}
		});
		assertThat(output.getOut().lines().filter((line) -> line.contains("Pace openai is held")))
			.hasSizeBetween(14, 16)
			.last()
			.asString()
			.contains("WARN")
			.contains("is less than a tenth of the rate before the first refusal: are there several quotas behind");
	}

	@Test
	void anotherPaceOfTheSamePolicy_reported() {
		this.runner.withBean(Divided.class)
			.run((context) -> assertThat(((InvalidBackoffException) context.getStartupFailure()).problems())
				.singleElement()
				.hasToString(new Problem(
						"@Backoff on Divided.b(): invalid pace (none): must be the same for all methods of "
								+ "policy divided, and is openai for Divided.a.",
						"Write it once, as backoff.policies.divided.pace.")
					.toString()));
	}

	@Test
	void callsThatMayWaitForLong_advisedAgainst() {
		this.runner.withBean(Limited.class).run((context) -> {
			List<String> advice = context.getBean(BackoffMethods.class)
				.uses()
				.stream()
				.flatMap((use) -> use.advice().stream().map((line) -> use.method() + ": " + line))
				.filter((line) -> line.contains("pace"))
				.toList();
			assertThat(advice).containsExactlyInAnyOrder(
					"Ai.blocking: a call holds its thread while the quota of the pace openai is used up: set a deadline",
					"Limited.twice: @io.github.resilience4j.ratelimiter.annotation.RateLimiter is on the method too: an "
							+ "attempt that has its turn waits or is refused there; remove it, or the pace");
		});
	}

	private static double meter(AssertableApplicationContext context, String name, String... tags) {
		return context.getBean(MeterRegistry.class).get(name).tags(tags).meter().measure().iterator().next().getValue();
	}

	private static void tell(AssertableApplicationContext context, Pace pace, int remaining) {
		pace.told(context.getBean(VirtualTime.class).nanoTime(),
				List.of(new QuotaReading("requests", 100, remaining, Duration.ofMinutes(1), true, true)));
	}

	static class Divided {

		@Backoff(value = "divided", pace = "openai")
		public void a() {
		}

		@Backoff(value = "divided", base = "1s")
		public void b() {
		}

	}

	static class Limited {

		@RateLimiter(name = "openai")
		@Backoff(pace = "openai", deadline = "10s")
		public void twice() {
		}

	}

	static class Ai {

		@Backoff(value = "chat", maxAttempts = "1", pace = "OpenAI", per = "#tenant")
		public CompletableFuture<String> chat(@Nullable String tenant, boolean refused) {
			if (refused) {
				HttpHeaders headers = new HttpHeaders();
				headers.set("Retry-After", "20");
				return CompletableFuture.failedFuture(HttpClientErrorException.create(HttpStatus.TOO_MANY_REQUESTS,
						"no", headers, new byte[0], StandardCharsets.UTF_8));
			}
			return later();
		}

		@Backoff("embeddings")
		public String blocking() {
			return "fine";
		}

		@Backoff("embeddings")
		public Mono<String> reactive() {
			return Mono.just("fine");
		}

		@Backoff("embeddings")
		public CompletableFuture<String> later() {
			return CompletableFuture.completedFuture("fine");
		}

		@Backoff
		public CompletableFuture<String> free() {
			return later();
		}

	}

}
