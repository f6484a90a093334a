package dev.backoff.spring.configuration;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.AbstractMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.env.ConfigTreePropertySource;
import org.springframework.boot.env.ConfigTreePropertySource.Option;
import org.springframework.boot.env.PropertySourceInfo;
import org.springframework.core.env.CompositePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertiesPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.policy.EffectivePolicy;

import static org.assertj.core.api.Assertions.assertThat;

/** Sources of other libraries, which keep and answer properties in ways of their own. */
class PropertyScanTests {

	private static final String BASE = "backoff.policies.payment-callback.base";

	private static final String RETRY_ON = "backoff.policies.payment-callback.retry-on";

	static Stream<PropertySource<?>> sources() {
		PropertySource<?> decrypting = new SystemEnvironmentPropertySource("variables",
				Map.of("BACKOFF_POLICIES_PAYMENT_CALLBACK_BASE", "ENC(s6)")) {

			@Override
			public @Nullable Object getProperty(String name) {
				return (super.getProperty(name) instanceof String text) ? text.replace("ENC(s6)", "6s") : null;
			}

		};
		Supplier<Object> late = () -> "6s";
		PropertySource<?> asking = new MapPropertySource("dynamic", Map.of(BASE, late)) {

			@Override
			public @Nullable Object getProperty(String name) {
				return (super.getProperty(name) instanceof Supplier<?> supplier) ? supplier.get() : null;
			}

		};
		CompositePropertySource inner = new CompositePropertySource("inner");
		inner.addPropertySource(new MapPropertySource("map", Map.of(BASE, "6s")));
		CompositePropertySource outer = new CompositePropertySource("outer");
		outer.addPropertySource(inner);
		Properties otherKeys = new Properties();
		otherKeys.put(BASE, "6s");
		otherKeys.put(new Object(), "x");
		otherKeys.put(42, "x");
		return Stream.of(decrypting, asking, outer, new PropertiesPropertySource("properties", otherKeys),
				new MapPropertySource("closed", new Unlisted(Map.of(BASE, "6s"))));
	}

	@ParameterizedTest
	@MethodSource("sources")
	void areReadAsTheyAnswer(PropertySource<?> source) {
		with(source).yaml(BASE + ": 1s")
			.runWithPolicy((policy) -> assertThat(text(policy, PolicyKey.BASE)).isEqualTo("6s"));
	}

	@Test
	void decryptedCopiesThatPassForVariablesAreRead() {
		SmallApplication.of(Callback.class)
			.yaml(BASE + ": '{cipher}6s'")
			.source(new SystemEnvironmentPropertySource("decrypted",
					Map.of(BASE, "6s", RETRY_ON + "[0]", EOFException.class.getName())))
			.runWithPolicy((policy) -> {
				assertThat(text(policy, PolicyKey.BASE)).isEqualTo("6s");
				assertThat(policy.numbers().retryOn()).containsExactly(EOFException.class);
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "MYAPP_", "MY_APP_" })
	void variablesBeginWithThePrefixOfTheApplication(String prefix) {
		String key = "BACKOFF_POLICIES_PAYMENT_CALLBACK_BASE";
		with(new Prefixed(Map.of(prefix + key, "6s", key, "9s")))
			.runWithPolicy((policy) -> assertThat(text(policy, PolicyKey.BASE)).isEqualTo("6s"));
	}

	@Test
	void arraysAreListsAndClassesAreNames() {
		for (Object types : List.of(List.of(EOFException.class, FileNotFoundException.class),
				new Class<?>[] { EOFException.class, FileNotFoundException.class },
				new String[] { "java.io.EOFException", "java.io.FileNotFoundException" })) {
			with(new MapPropertySource("code", Map.of(RETRY_ON, types)))
				.runWithPolicy((policy) -> assertThat(policy.numbers().retryOn()).containsExactly(EOFException.class,
						FileNotFoundException.class));
		}
		with(new MapPropertySource("code", Map.of(RETRY_ON, EOFException.class)))
			.runWithPolicy((policy) -> assertThat(policy.numbers().retryOn()).containsExactly(EOFException.class));
	}

	@Test
	void filesOfATreeAreRead(@TempDir Path directory) throws IOException {
		Files.writeString(directory.resolve(BASE), "6s\n");
		Path below = Files.createDirectories(directory.resolve("backoff/policies/payment-callback"));
		Files.writeString(below.resolve("cap"), "9s\n");
		with(new ConfigTreePropertySource("tree", directory, Option.AUTO_TRIM_TRAILING_NEW_LINE))
			.runWithPolicy((policy) -> {
				assertThat(text(policy, PolicyKey.BASE)).isEqualTo("6s");
				assertThat(text(policy, PolicyKey.CAP)).isEqualTo("9s");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "Backoff.policies.payment-callback.base", "BACKOFF.Policies.PAYMENT_CALLBACK.Base",
			"back-off.policies.payment-callback.base", "back_off.policies.payment-callback.base" })
	void keysAreSpelledAsSpringAllows(String key) {
		with(new MapPropertySource("code", Map.of(key, "6s")))
			.runWithPolicy((policy) -> assertThat(text(policy, PolicyKey.BASE)).isEqualTo("6s"));
	}

	@Test
	void groupsOfProfilesAreRead() {
		SmallApplication.of(Callback.class).yaml("""
				spring.profiles.group.production: [slow, careful]
				---
				spring.config.activate.on-profile: slow
				backoff.policies.payment-callback.base: 6s
				---
				spring.config.activate.on-profile: careful
				backoff.policies.payment-callback.max-attempts: 2
				""").argument("--spring.profiles.active=production").runWithPolicy((policy) -> {
			assertThat(text(policy, PolicyKey.BASE)).isEqualTo("6s");
			assertThat(policy.numbers().maxAttempts()).isEqualTo(2);
		});
	}

	private static SmallApplication with(PropertySource<?> source) {
		return SmallApplication.of(Callback.class).source(source);
	}

	private static @Nullable String text(EffectivePolicy policy, Key<?> key) {
		EffectiveValue value = policy.values().get(key);
		return (value != null) ? value.value() : null;
	}

	public static class Callback {

		@Backoff("payment-callback")
		public void place() {
		}

	}

	private static final class Prefixed extends SystemEnvironmentPropertySource implements PropertySourceInfo {

		Prefixed(Map<String, Object> variables) {
			super("variables", variables);
		}

		@Override
		public String getPrefix() {
			return "my-app";
		}

	}

	/** Answers single keys, but does not list them. */
	private static final class Unlisted extends AbstractMap<String, Object> {

		private final Map<String, Object> values;

		Unlisted(Map<String, Object> values) {
			this.values = values;
		}

		@Override
		public @Nullable Object get(@Nullable Object key) {
			return this.values.get(key);
		}

		@Override
		public boolean containsKey(@Nullable Object key) {
			return this.values.containsKey(key);
		}

		@Override
		public Set<Entry<String, Object>> entrySet() {
			throw new UnsupportedOperationException("closed");
		}

	}

}
