package dev.backoff.spring.configuration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.context.ApplicationContext;
import org.springframework.core.io.ClassPathResource;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.policy.BackoffPolicies;

import static org.assertj.core.api.Assertions.assertThat;

/** The page of all keys says what is, and its examples mean the same. */
class ConfigurationPageTests {

	private static final Path PAGE = Path.of("..", "docs", "configuration.md");

	private static final Path METADATA = Path.of("src", "main", "resources", "META-INF",
			"additional-spring-configuration-metadata.json");

	@Test
	void isMadeOfTheKeysAndTheirDescriptions() throws IOException {
		assertWritten(PAGE, made());
	}

	@Test
	void metadataHasTheDefaultsOfTheKeys() throws IOException {
		String defaults = PolicyKey.KEYS.stream()
			.filter((key) -> key.builtInText() != null)
			.sorted(Comparator.comparing(Key::key))
			.map((key) -> "    { \"name\": \"backoff.defaults." + key.key() + "\", \"defaultValue\": " + json(key)
					+ " }")
			.collect(Collectors.joining(",\n", "", "\n  ]"));
		assertWritten(METADATA, Files.readString(METADATA)
			.replaceFirst("(?s)    \\{ \"name\": \"backoff.defaults.*?\n  ]", Matcher.quoteReplacement(defaults)));
	}

	private static String json(Key<?> key) {
		Object type = Metadata.ofAll().named("properties").get("backoff.defaults." + key.key()).get("type");
		return Set.of("java.lang.Boolean", "java.lang.Integer", "java.lang.Double").contains(type) ? key.builtInText()
				: "\"" + key.builtInText() + "\"";
	}

	private static void assertWritten(Path file, String made) throws IOException {
		if ("write".equals(System.getProperty("docs"))) {
			Files.writeString(file, made);
		}
		assertThat(made)
			.as(file + " is out of date. Write it with ./mvnw -Pfast -pl retry-core,retry-spring-boot-starter "
					+ "test -Dtest=ConfigurationPageTests -Dsurefire.failIfNoSpecifiedTests=false -Ddocs=write")
			.isEqualTo(Files.exists(file) ? Files.readString(file) : "");
	}

	@Test
	void hasEveryKey() throws IOException {
		String page = made();
		assertThat(Metadata.ofAll().named("properties").keySet())
			.filteredOn((name) -> name.startsWith("backoff.defaults."))
			.map((name) -> "| `" + name.replaceFirst("^backoff\\.defaults\\.", "") + "`")
			.isNotEmpty()
			.allSatisfy((row) -> assertThat(page.split("## Presets", 2)[0]).containsOnlyOnce(row));
		assertThat(Section.SETTINGS.keyTexts()).allSatisfy((key) -> assertThat(page).contains("`backoff." + key + "`"));
	}

	private static String made() throws IOException {
		return new ConfigurationPage(new ClassPathResource("configuration.md", ConfigurationPageTests.class)
			.getContentAsString(StandardCharsets.UTF_8)).text();
	}

	@Nested
	class Examples {

		private final List<String> properties = example("properties").lines().toList();

		private final Map<String, String> expected = configuration(application().yaml(example("yaml")));

		@Test
		void areInEffect() {
			assertThat(this.expected).containsEntry("random", "SECURE")
				.containsEntry("slo", "[PT0.1S, PT2S]")
				.containsEntry("OrderService.place jitter", "equal")
				.containsEntry("OrderService.place max-attempts", "5")
				.containsEntry("PaymentCallbacks.send base", "1s")
				.containsEntry("PaymentCallbacks.send retry-after.max", "2m")
				.containsEntry("PaymentCallbacks.send retry-on",
						"java.io.IOException, java.util.concurrent.TimeoutException")
				.containsEntry("breaker gateway window", "100 calls")
				.containsEntry("budget gateway per-second", "2");
		}

		@Test
		void areTheSameInAPropertiesFile() {
			assertThat(configuration(application().file("application.properties", String.join("\n", this.properties))))
				.isEqualTo(this.expected);
		}

		@Test
		void areTheSameOnTheCommandLine() {
			SmallApplication application = application();
			this.properties.forEach((line) -> application.argument("--" + line));
			assertThat(configuration(application)).isEqualTo(this.expected);
		}

		@Test
		void areTheSameAsSystemProperties() {
			Map<String, String> written = new TreeMap<>();
			this.properties.forEach((line) -> written.put(line.split("=", 2)[0], line.split("=", 2)[1]));
			written.forEach(System::setProperty);
			try {
				assertThat(configuration(application())).isEqualTo(this.expected);
			}
			finally {
				written.keySet().forEach(System::clearProperty);
			}
		}

		@Test
		void areTheSameInTheEnvironment() {
			SmallApplication application = application();
			example("sh").lines().forEach((line) -> application.variable(line.split("=", 2)[0], line.split("=", 2)[1]));
			assertThat(configuration(application)).isEqualTo(this.expected);
		}

		@Test
		void ofTyposInTheEnvironmentHaveNoEffect() {
			assertThat(configuration(
					application().yaml(example("yaml")).variable("BACKOFF_POLICIES_PAYMENTCALLBACK_BASSE", "1s")))
				.isEqualTo(this.expected);
		}

		@Test
		void ofNamesWithoutTheirBracketsAreReported() {
			assertThat(application().argument("--backoff.policies.payment-callback.base=1s")
				.argument("--backoff.policies.OrderService.place.jitter=equal")
				.failure()).isInstanceOfSatisfying(InvalidBackoffException.class,
						(failure) -> assertThat(failure.problems().toString())
							.contains("Invalid backoff.policies.OrderService.place.jitter"));
		}

		private static SmallApplication application() {
			return SmallApplication.of(PaymentCallbacks.class, OrderService.class);
		}

		/** Return all that is in effect, by names that no source spells. */
		private static Map<String, String> configuration(SmallApplication application) {
			Map<String, String> all = new TreeMap<>();
			application.run((context) -> {
				BackoffConfiguration configuration = configuration(context);
				all.put("random", configuration.get(SettingKey.RANDOM).name());
				all.put("slo", configuration.get(SettingKey.METRICS_SLO).toString());
				context.getBean(BackoffMethods.class)
					.uses()
					.forEach((use) -> use.policy()
						.values()
						.forEach((key, value) -> all.put(use.method() + " " + key.key(), value.value())));
				configuration.breaker("gateway")
					.values()
					.forEach((key, value) -> all.put("breaker gateway " + key.key(), value.value()));
				configuration.budget("gateway")
					.values()
					.forEach((key, value) -> all.put("budget gateway " + key.key(), value.value()));
			});
			return all;
		}

		private static BackoffConfiguration configuration(ApplicationContext context) {
			return context.getBean(BackoffPolicies.class).configuration();
		}

		private static String example(String language) {
			try {
				Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(made());
				assertThat(block.find()).as("an example in " + language).isTrue();
				return block.group(1);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

	public static class PaymentCallbacks {

		@Backoff("payment-callback")
		public void send() {
		}

	}

	public static class OrderService {

		@Backoff
		public void place() {
		}

	}

}
