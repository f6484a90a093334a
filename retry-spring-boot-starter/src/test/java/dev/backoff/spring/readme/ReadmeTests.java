package dev.backoff.spring.readme;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.web.client.ResourceAccessException;

import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.delay.DelayPlan;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.Preset;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.policy.BreakerKey;
import dev.backoff.spring.policy.BudgetKey;
import dev.backoff.spring.policy.InvalidBackoffException;
import dev.backoff.spring.policy.PolicyKey;
import dev.backoff.spring.readme.PaymentCallbacks.Payment;
import dev.backoff.spring.readme.PaymentCallbacks.Receipt;
import dev.backoff.spring.readme.ReadmeService.Warehouse;
import dev.backoff.time.DurationText;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What the README shows compiles, runs and is true. */
class ReadmeTests {

	private static final Path README = Path.of("..", "README.md");

	private static final Path SOURCES = Path.of("src", "test", "java", "dev", "backoff", "spring", "readme");

	private static final Path KOTLIN_SOURCES = Path.of("src", "test", "kotlin", "dev", "backoff", "spring", "readme");

	private static final Pattern BLANK_LINE = Pattern.compile("\\n\\s*\\n");

	private final AtomicInteger calls = new AtomicInteger();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withBean(RetryTime.class, VirtualTime::new)
		.withBean(RandomSource.class, () -> () -> 0.5)
		.withBean(PaymentCallbacks.Merchant.class, () -> this::notifyMerchant)
		.withBean(ReadmeService.Parked.class,
				() -> (payment, reason, attempts, key) -> new Receipt("parked " + reason + " after " + attempts))
		.withBean(ReadmeService.Partner.class, SlowPartner::new)
		.withBean(CircuitBreakerRegistry.class, ReadmeTests::breakersOfResilience4j)
		.withBean(PaymentCallbacks.class)
		.withBean(ReadmeService.class);

	@Test
	void everyJavaSnippetIsCompiledHere() throws IOException {
		assertThat(blocks("java")).hasSizeGreaterThan(5);
		assertCompiled(blocks("java"), SOURCES);
	}

	@Test
	void everyKotlinSnippetIsCompiledToo() throws IOException {
		assertThat(blocks("kotlin")).isNotEmpty();
		assertCompiled(blocks("kotlin"), KOTLIN_SOURCES);
	}

	private static void assertCompiled(List<String> snippets, Path directory) throws IOException {
		List<String> sources = new ArrayList<>();
		try (Stream<Path> files = Files.list(directory)) {
			for (Path file : files.toList()) {
				sources.add(squeezed(Files.readString(file)));
			}
		}
		for (String snippet : snippets) {
			for (String chunk : BLANK_LINE.splitAsStream(snippet).toList()) {
				assertThat(sources).as(chunk).anyMatch((source) -> source.contains(squeezed(chunk)));
			}
		}
	}

	@Test
	void theFirstSnippetNeedsNoConfiguration() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
			.withBean(RetryTime.class, VirtualTime::new)
			.withBean(PaymentCallbacks.Merchant.class, () -> this::notifyMerchant)
			.withBean(PaymentCallbacks.class)
			.run((context) -> assertThat(context.getBean(PaymentCallbacks.class).send(payment()).text())
				.isEqualTo("received at call 3"));
	}

	@Test
	void theConfigurationWorksAsDescribed() {
		withReadmeYaml().run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(PaymentCallbacks.class).send(payment()).text()).isEqualTo("received at call 3");
			ReadmeService service = context.getBean(ReadmeService.class);
			service.syncStock(new Warehouse("north"));
			assertThat(service.reserve("sku")).isTrue();
			assertThat(service.awaitPayment("t-1").status()).isEqualTo(Payment.Status.PAID);
			assertThat(service.sendNow(payment()).text()).isEqualTo("received at call 4");
			assertThat(service.sendOnPool(payment())).succeedsWithin(Duration.ofSeconds(30))
				.isEqualTo(new Receipt("received at call 5"));
			assertThat(service.sendLater(payment())).succeedsWithin(Duration.ofSeconds(30))
				.isEqualTo(new Receipt("received at call 6"));
			assertThat(service.sendReactively(payment()).block(Duration.ofSeconds(30)))
				.isEqualTo(new Receipt("received at call 7"));
			assertThat(ReadmeService.withoutSpring()).isEqualTo("o-1 placed, o-2 placed later");
		});
	}

	@Test
	void everyConfigurationStarts() throws IOException {
		List<String> shown = blocks("yaml");
		assertThat(shown).hasSizeGreaterThan(2);
		for (String block : shown) {
			withReadmeYaml()
				.withInitializer((context) -> context.getEnvironment()
					.getPropertySources()
					.addFirst(unchecked(() -> new YamlPropertySourceLoader().load("shown.yml",
							new ByteArrayResource(block.getBytes(StandardCharsets.UTF_8))))
						.get(0)))
				.run((context) -> assertThat(context).as(block).hasNotFailed());
		}
	}

	@Test
	void theBreakerIsUsedByHand() {
		withReadmeYaml().withPropertyValues("backoff.breakers.warehouse.minimum-calls=2").run((context) -> {
			ReadmeService service = context.getBean(ReadmeService.class);
			assertThat(service.stockAt("north")).isEqualTo(3);
			assertThatIOException().isThrownBy(() -> service.stockAt("nowhere"));
			assertThatThrownBy(() -> service.stockAt("north")).isInstanceOf(CircuitOpenException.class);
		});
	}

	@Test
	void recoverParksWhatCouldNotBeSent() {
		this.calls.set(Integer.MIN_VALUE);
		withReadmeYaml().run((context) -> assertThat(context.getBean(ReadmeService.class).notifyMerchant(payment()))
			.isEqualTo(new Receipt("parked " + StopReason.ATTEMPTS_EXHAUSTED + " after 12")));
	}

	@Test
	void theReportIsAsShown() throws IOException {
		Path file = Files.createTempDirectory("readme").resolve("application.yml");
		Files.writeString(file, "backoff:\n  policies:\n    orders:\n      max-retries: 3\n");
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(yaml(new FileSystemResource(file))))
			.run((context) -> {
				Throwable failure = context.getStartupFailure();
				assertThat(failure).hasStackTraceContaining(InvalidBackoffException.class.getName());
				FailureAnalysis analysis = SpringFactoriesLoader.forDefaultResourceLocation()
					.load(FailureAnalyzer.class, (type, name, problem) -> assertThat(name).startsWith("org.spring"))
					.stream()
					.filter((analyzer) -> analyzer.getClass().getName().startsWith("dev.backoff"))
					.map((analyzer) -> analyzer.analyze(failure))
					.findFirst()
					.orElseThrow();
				String shown = blocks("").stream()
					.filter((block) -> block.startsWith("Retries cannot work"))
					.findFirst()
					.orElseThrow();
				assertThat(shown.strip()).isEqualTo(
						(analysis.getDescription() + "\n\nAction:\n\n" + analysis.getAction()).replace("\r", ""));
			});
	}

	@Test
	void everyKeyOfAPolicyIsInTheTable() throws IOException {
		String readme = Files.readString(README);
		for (PolicyKey key : PolicyKey.values()) {
			assertThat(readme).contains("`" + key.key() + "`");
		}
	}

	@Test
	void theKeysThatAreAttributesAreToldFromTheOthers() throws IOException {
		String readme = Files.readString(README);
		assertThat(readme)
			.contains("The keys from `preset` to `classifier`, `budget`, `breaker` and `idempotent` are attributes");
		String before = readme.substring(readme.indexOf("\n| `preset` |"),
				readme.indexOf("\n| `inherits`, `enabled` |"));
		for (PolicyKey key : PolicyKey.values()) {
			boolean told = before.contains("| `" + key.key() + "`")
					|| Set.of(PolicyKey.BUDGET, PolicyKey.BREAKER, PolicyKey.IDEMPOTENT).contains(key);
			assertThat(key.attribute() != null).as(key.key()).isEqualTo(told);
		}
	}

	@Test
	void everyKeyOfABreakerAndABudgetIsInItsTable() throws IOException {
		String readme = Files.readString(README);
		String budgets = table(readme, "backoff.budgets.<name>");
		for (BudgetKey key : BudgetKey.values()) {
			assertThat(budgets).contains("`" + key.key() + "`");
		}
		String breakers = table(readme, "backoff.breakers.<name>");
		for (BreakerKey key : BreakerKey.values()) {
			assertThat(breakers).contains("`" + key.key() + "`");
		}
	}

	private static String table(String readme, String section) {
		int start = readme.indexOf("| key below `" + section + "` |");
		return readme.substring(start, readme.indexOf("\n\n", start));
	}

	@Test
	void thePresetsWaitAsTheTableSays() throws IOException {
		String readme = Files.readString(README);
		for (Preset preset : Preset.values()) {
			RetryPolicy policy = RetryPolicy.builder("preset").preset(preset).build();
			if (policy.maxAttempts() == RetryPolicy.UNLIMITED_ATTEMPTS) {
				assertThat(readme).contains("| `" + preset.key() + "` | unlimited |");
				continue;
			}
			DelayPlan plan = DelayPlan.of(policy.rule(), policy.maxAttempts() - 1);
			assertThat(readme)
				.containsPattern(Pattern.quote("| `" + preset.key() + "` | " + policy.maxAttempts() + " |") + ".*"
						+ Pattern.quote("| " + DurationText.story(plan.totalMean()) + ", "
								+ DurationText.story(plan.totalGreatest()) + " |"));
		}
	}

	private ApplicationContextRunner withReadmeYaml() {
		return withYaml(unchecked(() -> blocks("yaml")).get(0));
	}

	private ApplicationContextRunner withYaml(String shown) {
		return this.runner.withInitializer((context) -> context.getEnvironment()
			.getPropertySources()
			.addFirst(yaml(new ByteArrayResource(shown.getBytes(StandardCharsets.UTF_8)))));
	}

	private static PropertySource<?> yaml(Resource resource) {
		return unchecked(() -> new YamlPropertySourceLoader().load("application.yml", resource)).get(0);
	}

	private static <T> T unchecked(Callable<T> reader) {
		try {
			return reader.call();
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
	}

	private Receipt notifyMerchant(Payment payment, String key) {
		int call = this.calls.incrementAndGet();
		if (call < 3) {
			throw new ResourceAccessException("reset", new IOException("reset"));
		}
		return new Receipt("received at call " + call);
	}

	private static CircuitBreakerRegistry breakersOfResilience4j() {
		CircuitBreakerRegistry registry = CircuitBreakerRegistry.ofDefaults();
		registry.circuitBreaker("gateway");
		return registry;
	}

	private static Payment payment() {
		return new Payment("t-1", Payment.Status.PENDING);
	}

	/** Return the fenced blocks of a language. */
	private static List<String> blocks(String language) throws IOException {
		Matcher fence = Pattern.compile("(?ms)^```" + language + "\\n(.*?)^```$").matcher(Files.readString(README));
		List<String> blocks = new ArrayList<>();
		while (fence.find()) {
			blocks.add(fence.group(1));
		}
		return blocks;
	}

	private static String squeezed(String text) {
		return text.replaceAll("\\s+", " ").strip();
	}

	private static final class SlowPartner implements ReadmeService.Partner {

		private int asked;

		@Override
		public void sync(Warehouse warehouse) {
		}

		@Override
		public boolean reserve(String sku) {
			return ++this.asked > 2;
		}

		@Override
		public int count(String warehouse) throws IOException {
			if (warehouse.equals("nowhere")) {
				throw new IOException(warehouse);
			}
			return 3;
		}

		@Override
		public Payment status(String trade) {
			return new Payment(trade, (++this.asked > 7) ? Payment.Status.PAID : Payment.Status.PENDING);
		}

	}

}
