package dev.backoff.benchmarks.moving;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.RetryConfig;
import io.github.resilience4j.springboot.circuitbreaker.autoconfigure.CircuitBreakerAutoConfiguration;
import io.github.resilience4j.springboot.retry.autoconfigure.RetryAutoConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.backoff.BackOffContext;
import org.springframework.retry.backoff.ExponentialBackOffPolicy;
import org.springframework.retry.context.RetryContextSupport;
import org.springframework.retry.policy.SimpleRetryPolicy;
import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;
import org.springframework.web.client.RestClientException;

import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.BreakerSettings;
import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.contentOf;

/** What docs/moving-in.md says, beside the other libraries. */
@Tag("ci")
class MovingInTests {

	private static final Pattern YAML = Pattern.compile("(?ms)^```yaml\\n(.*?)^```$");

	private static final Pattern COST = Pattern.compile("(?m)^(\\|[^|]+\\| \\d+\\.\\d \\|) (\\d+ \\|)$");

	private static final List<List<Integer>> ANSWERS = List.of(List.of(), List.of(503, 503), List.of(500, 502, 504),
			List.of(503, 503, 503, 503), List.of(400), List.of(503, 404));

	@ParameterizedTest
	@CsvSource({ "From Spring Retry, FromSpringRetry", "From Spring Framework, FromFramework",
			"From Resilience4j, FromResilience4j", "From Failsafe, FromFailsafe" })
	void theServerSeesTheSameRequests(String section, String application) throws Exception {
		String name = getClass().getPackageName() + "." + application;
		List<Seen> before = run(section, Peers.class, Class.forName(name + "$Before"));
		assertThat(before).extracting((seen) -> seen.requests().size()).containsExactly(1, 3, 4, 4, 1, 2);
		assertThat(run(section, Starter.class, Class.forName(name + "$After"))).isEqualTo(before);
	}

	@Test
	void theirBreakerCountsEachAttempt_andItsRejectionIsNotRetried() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Starter.class, Guarded.class)
			.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.properties("resilience4j.circuitbreaker.instances.partner.minimum-number-of-calls=2",
					"resilience4j.circuitbreaker.instances.partner.sliding-window-size=2",
					"backoff.policies.guarded.base=1ms")
			.run()) {
			Guarded guarded = context.getBean(Guarded.class);
			// its rejection takes no report
			assertThatExceptionOfType(CallNotPermittedException.class).isThrownBy(guarded::call);
			assertThat(guarded.calls()).isEqualTo(2);
			assertThat(context.getBean(CircuitBreakerRegistry.class)
				.circuitBreaker("partner")
				.getMetrics()
				.getNumberOfNotPermittedCalls()).as("rejections of four attempts").isOne();
		}
	}

	@ImportAutoConfiguration(CircuitBreakerAutoConfiguration.class)
	static class Guarded {

		private int calls;

		@Backoff("guarded")
		@CircuitBreaker(name = "partner")
		public void call() {
			this.calls++;
			throw new IllegalStateException("busy");
		}

		/* Of the bean behind the proxies. */
		public int calls() {
			return this.calls;
		}

	}

	@Test
	void delaysAreTheirs() {
		List<Long> ours = millis(rule(Duration.ofMillis(100), 2, Duration.ofMillis(400)), 5);
		assertThat(ours).containsExactly(100L, 200L, 400L, 400L, 400L);
		assertThat(ofSpringRetry(100, 2, 400)).isEqualTo(ours);
		assertThat(ofFramework(100, 2, 400)).isEqualTo(ours);
		IntervalFunction ofResilience4j = IntervalFunction.ofExponentialBackoff(Duration.ofMillis(100), 2,
				Duration.ofMillis(400));
		assertThat(IntStream.rangeClosed(1, 5).mapToObj(ofResilience4j::apply)).isEqualTo(ours);
	}

	private static List<Long> ofSpringRetry(long delay, double multiplier, long maxDelay) {
		List<Long> delays = new ArrayList<>();
		ExponentialBackOffPolicy policy = new ExponentialBackOffPolicy();
		policy.setInitialInterval(delay);
		policy.setMultiplier(multiplier);
		policy.setMaxInterval(maxDelay);
		policy.setSleeper(delays::add);
		BackOffContext context = policy.start(new RetryContextSupport(null));
		IntStream.range(0, 5).forEach((retry) -> policy.backOff(context));
		return delays;
	}

	private static List<Long> ofFramework(long delay, double multiplier, long maxDelay) {
		ExponentialBackOff backOff = new ExponentialBackOff(delay, multiplier);
		backOff.setMaxInterval(maxDelay);
		BackOffExecution execution = backOff.start();
		return IntStream.range(0, 5).mapToObj((retry) -> execution.nextBackOff()).toList();
	}

	@Test
	void theirDefaultsAreAsThePageSays() throws NoSuchMethodException {
		assertThat(SimpleRetryPolicy.DEFAULT_MAX_ATTEMPTS).isEqualTo(3);
		assertThat(RetryConfig.DEFAULT_MAX_ATTEMPTS).isEqualTo(3);
		assertThat(RetryPolicy.builder("any").build().maxAttempts()).isEqualTo(4);
		says("the same number; 4 by default where theirs is 3");
		assertThat(ExponentialBackOffPolicy.DEFAULT_MAX_INTERVAL).isEqualTo(30_000);
		says("a maxDelay not above the delay is 30 s.");
		assertThat(IntervalFunction.DEFAULT_MULTIPLIER).isEqualTo(1.5);
		says("`multiplier`, 2 where theirs is 1.5");
		assertThat(Retryable.class.getMethod("multiplier").getDefaultValue()).isEqualTo(1.0);
		assertThat(dev.failsafe.RetryPolicy.ofDefaults().getConfig().getMaxAttempts()).isEqualTo(3);
		says("`max-attempts` r + 1; 4 by default where theirs is 3");
	}

	@Test
	void defaultsOfBreakersAreAsThePageSays() {
		CircuitBreakerConfig theirs = CircuitBreakerConfig.ofDefaults();
		BreakerSettings ours = BreakerSettings.builder().build();
		says("| `failure-rate-threshold`, %.0f | `failure-rate`, %.0f%% |", theirs.getFailureRateThreshold(),
				100 * ours.failureRate());
		says("%s calls | `window`, %s;", theirs.getSlidingWindowSize(), ours.window());
		says("`minimum-number-of-calls`, %d | `minimum-calls`, %d |", theirs.getMinimumNumberOfCalls(),
				ours.minimumCalls());
		says("`wait-duration-in-open-state`, %d s | `open-for`, %ds;",
				theirs.getWaitIntervalFunctionInOpenState().apply(1) / 1000, ours.openFor().toSeconds());
		says("half-open-state`, %d | `probes`, %d |", theirs.getPermittedNumberOfCallsInHalfOpenState(), ours.probes());
		says("`slow-call-duration-threshold`, %d s; `-rate-threshold`, %.0f | `slow-call`, none; `slow-call-rate`, %.0f%% |",
				theirs.getSlowCallDurationThreshold().toSeconds(), theirs.getSlowCallRateThreshold(),
				100 * ours.slowCallRate());
	}

	@Test
	void delaysOfJobPlatforms() {
		BackoffRule easyJob = rule(Duration.ofSeconds(10), 2, Duration.ofSeconds(10 * (1 << (10 - 1))));
		assertThat(millis(easyJob, 10)).startsWith(10_000L, 20_000L, 40_000L)
			.endsWith(5_120_000L)
			.doesNotHaveDuplicates();
		says("F = 10, M = 2, C = 10 waits 10, 20, 40 … 5120 s with `jitter: none`.");
		String ladder = page().replaceFirst("(?s).*RocketMQ, 18 levels \\| `ladder: ([^`]*)`.*", "$1");
		List<String> levels = List.of(ladder.split(", "));
		assertThat(levels).hasSize(18);
		assertThat(levels.subList(levels.indexOf("10s"), levels.size())).hasSize(16);
		says("| Tencent TDMQ, 16 retries | the same from `10s` on |");
	}

	@Test
	void theComparisonShowsTheMeasuredCosts() {
		List<MatchResult> costs = COST.matcher(page("comparison.md")).results().toList();
		assertThat(costs).hasSize(6)
			.allSatisfy((cost) -> assertThat(page("measurements/speed.md"))
				.containsPattern("(?m)^\\Q" + cost.group(1) + "\\E \\S+ \\| " + cost.group(2) + "$"));
		assertThat(page("measurements/overload.md")).contains("| 4.000 |", "| 1.005 |");
		assertThat(page("comparison.md")).contains("0.94 times as many calls", "0.92 times as many");
		assertThat(page("measurements/durable.md")).containsPattern("PostgreSQL, .* made .* \\| 0\\.94 \\| .*")
			.containsPattern("MariaDB \\| made .* \\| 0\\.92 \\| ");
	}

	@Test
	void theLadderOfNotificationsTakesADay() {
		List<PropertySource<?>> shown = configurations("From a loop of your own");
		String ladder = String.valueOf(shown.get(1).getProperty("backoff.policies.merchant-callback.ladder"));
		Duration all = Stream.of(ladder.split(", "))
			.map(DurationStyle.SIMPLE::parse)
			.reduce(Duration.ZERO, Duration::plus);
		says("%d h %d min in all", all.toHours(), all.toMinutesPart());
	}

	private static BackoffRule rule(Duration base, double multiplier, Duration cap) {
		return BackoffRule.of(Shape.exponential(base, multiplier), cap, Jitter.none());
	}

	private static List<Long> millis(BackoffRule rule, int retries) {
		return IntStream.rangeClosed(1, retries).mapToObj((retry) -> rule.capped(retry) / 1_000_000).toList();
	}

	private static void says(String words, Object... numbers) {
		assertThat(page().replaceAll("\\s+", " ")).contains(String.format(Locale.ROOT, words, numbers));
	}

	@EnableResilientMethods(proxyTargetClass = true)
	@EnableRetry
	@ImportAutoConfiguration({ AopAutoConfiguration.class, RetryAutoConfiguration.class })
	static class Peers {

	}

	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class })
	static class Starter {

	}

	private static List<Seen> run(String section, Class<?>... application) throws IOException {
		try (Warehouse warehouse = new Warehouse();
				ConfigurableApplicationContext context = new SpringApplicationBuilder(application)
					.web(WebApplicationType.NONE)
					.bannerMode(Banner.Mode.OFF)
					.logStartupInfo(false)
					.registerShutdownHook(false)
					.initializers((starting) -> {
						starting.getBeanFactory().registerSingleton("warehouse", warehouse);
						configurations(section).forEach(starting.getEnvironment().getPropertySources()::addFirst);
					})
					.run()) {
			return ANSWERS.stream().map((answers) -> {
				warehouse.willAnswer(answers);
				return new Seen(result(context.getBean(Reservations.class)), warehouse.requests());
			}).toList();
		}
	}

	private static String result(Reservations reservations) {
		try {
			return reservations.reserve("tea");
		}
		catch (RestClientException ex) {
			return ex.getClass().getName();
		}
	}

	/** What the caller gets, and what the server. */
	private record Seen(String result, List<String> requests) {
	}

	/* As the page shows them. */
	private static List<PropertySource<?>> configurations(String section) {
		return YAML.matcher(section(section)).results().map((block) -> {
			try {
				return new YamlPropertySourceLoader()
					.load(block.group(1), new ByteArrayResource(block.group(1).getBytes(StandardCharsets.UTF_8)))
					.get(0);
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}).<PropertySource<?>>map((source) -> source).toList();
	}

	private static String section(String title) {
		return page().replaceFirst("(?s).*?\n## " + title + "\n", "").replaceFirst("(?s)\n## .*", "");
	}

	private static String page() {
		return page("moving-in.md");
	}

	private static String page(String name) {
		return contentOf(Path.of("..", "docs", name).toFile(), StandardCharsets.UTF_8);
	}

}
