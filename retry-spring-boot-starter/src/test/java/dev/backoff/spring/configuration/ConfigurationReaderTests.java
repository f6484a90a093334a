package dev.backoff.spring.configuration;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import dev.backoff.spring.policy.BackoffPolicies;

import static org.assertj.core.api.Assertions.assertThat;

/** Odd keys and values are reported or ignored, and large configurations are read. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConfigurationReaderTests {

	@ParameterizedTest
	@ValueSource(strings = { "backoff[0]", "backoff[0][1]", "backoff.", "backoff..", "backoff.[", "backoff.[]",
			"backoff.policies", "backoff.policies.", "backoff.policies[0]", "backoff.policies[0].base",
			"backoff.policies.[", "backoff.policies.[a", "backoff.policies.[a]b.base", "backoff.policies.[[a]].base",
			"backoff.policies.[].base", "backoff.policies.[ ].base", "backoff.policies..base",
			"backoff.policies.orders[0]", "backoff.policies.orders[0].base", "backoff.policies.orders.base[0]",
			"backoff.policies.orders.base.x.y.z", "backoff.policies.orders.retry-on[99999999999]",
			"backoff.policies.orders.retry-on[-1]", "backoff.policies.orders.retry-on[x]",
			"backoff.policies.orders.retry-on[2147483647]", "backoff.policies.orders.ladder[0][0]",
			"backoff.defaults[99999999999]", "backoff.metrics.slo[99999999999]", "backoff.defaults.retry-after[0]",
			"backoff.policies.[a.b c].base", "backoff.policies.[a\nb].base", "backoff.policies.[\u0000].base",
			"backoff.policies.[🔥].base", "backoff.policies.[مرحبا].base", "BACKOFF.POLICIES.ORDERS.BASE",
			"backoff.policies.[__proto__].base", "backoff.policies.-.base", "backoff.policies.[-].base", "backoff-x",
			"backoff" })
	void oddKeysAreReportedOrIgnored(String key) {
		for (Object value : new Object[] { "1s", "", "x", 1, true, List.of("1s"), List.of(), Map.of(), new byte[] { 1 },
				"${" + key + "}", "${", "#{T(java.lang.Runtime).getRuntime().exit(1)}", "\u0000\u001b[2J\uD800" }) {
			report(Map.of(key, value));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "inherits", "preset", "enabled", "shape", "base", "cap", "multiplier", "step", "ladder",
			"jitter", "max-attempts", "deadline", "attempt-timeout", "shortest-attempt", "final-poll", "throttled-base",
			"retry-on", "abort-on", "match-causes", "classifier", "nested", "retry-after.enabled", "retry-after.max" })
	void oddValuesAreReported(String key) {
		for (String value : List.of("", " ", "-1", "-1s", "1e400", "NaN", "Infinity", "0x1p3",
				"99999999999999999999999999d", "9223372036854775807d", "PT9223372036854775807S", "P-1D", "1s x1000001",
				"1s x99999999999", "x x x", "%", "-5%", "101%", "beta ..", "beta 1..0", "beta 0.5..0.5", "beta ....",
				"beta 0...1", "${nothing}", "${a${b}}", "${" + key + "}", "#{1}", "\u0000", "\uD800", "1\u0660s", "١s",
				"unlimited", "none", "[I", "int", "java.lang.String", "java.io.IOException[]",
				"java.io.IOException,,java.io.IOException", "../../x", "java/io/IOException", "a b",
				"x".repeat(100_000), "9".repeat(100_000), "1".repeat(100_000) + "ms", "1s" + " ".repeat(100_000) + "x5",
				"1 ".repeat(50_000), "x".repeat(100_000) + "5", ",".repeat(100_000))) {
			report(Map.of("backoff.policies.orders." + key, value));
			report(Map.of("backoff.defaults." + key, value));
		}
	}

	@Test
	void randomKeysAndValuesAreReportedOrIgnored() {
		Random random = new Random(42);
		String[] parts = { "backoff", "policies", "defaults", "orders", "base", "retry-on", "retry-after", "max",
				"metrics", "slo", "ladder", "[0]", "[", "]", ".", "..", "-", "_", "[a.b]", "é", "", "[99999999999]" };
		String[] values = { "1s", "", "10", "${x}", "true", "java.io.IOException", "1s x5, 2s", "#{1}", "none" };
		for (int round = 0; round < 3_000; round++) {
			Map<String, Object> properties = new LinkedHashMap<>();
			for (int i = 0; i < 4; i++) {
				StringBuilder key = new StringBuilder("backoff");
				for (int j = random.nextInt(6); j >= 0; j--) {
					key.append(random.nextBoolean() ? "." : "").append(parts[random.nextInt(parts.length)]);
				}
				properties.put(key.toString(), values[random.nextInt(values.length)]);
			}
			report(properties);
		}
	}

	@Test
	void binaryDataIsReportedOrIgnored() {
		Random random = new Random(7);
		for (int round = 0; round < 300; round++) {
			byte[] junk = new byte[40];
			random.nextBytes(junk);
			String text = new String(junk, StandardCharsets.ISO_8859_1);
			report(Map.of("backoff.policies." + text, text, "backoff.defaults.base", text));
		}
	}

	@Test
	void twoThousandPoliciesStartInTime() {
		Map<String, Object> properties = new LinkedHashMap<>();
		for (int i = 0; i < 2_000; i++) {
			properties.put("backoff.policies.policy-" + i + ".base", (i + 1) + "ms");
			properties.put("backoff.policies.policy-" + i + ".cap", "60s");
			properties.put("backoff.policies.policy-" + i + ".max-attempts", "7");
		}
		assertThat(report(properties)).isEmpty();
	}

	@Test
	void aChainOfThreeHundredStartsInTime() {
		Map<String, Object> properties = new LinkedHashMap<>();
		for (int i = 0; i < 300; i++) {
			properties.put("backoff.policies.policy-" + i + ".base", (i + 1) + "ms");
			if (i > 0) {
				properties.put("backoff.policies.policy-" + i + ".inherits", "policy-" + (i - 1));
			}
		}
		assertThat(report(properties)).isEmpty();
	}

	@Test
	void aCircleOfThreeHundredIsReportedInTime() {
		Map<String, Object> properties = new LinkedHashMap<>();
		for (int i = 0; i < 300; i++) {
			properties.put("backoff.policies.policy-" + i + ".inherits", "policy-" + (i + 1) % 300);
		}
		assertThat(report(properties)).hasSize(1);
	}

	@Test
	void twoThousandTyposAreReportedInTime() {
		Map<String, Object> properties = new LinkedHashMap<>();
		for (int i = 0; i < 2_000; i++) {
			properties.put("backoff.policies.policy-" + i + ".bse", "1s");
		}
		assertThat(report(properties)).hasSize(2_000);
	}

	@Test
	void aNameOfAMegabyteIsComparedInTime() {
		Map<String, Object> properties = new LinkedHashMap<>();
		for (int i = 0; i < 1_000; i++) {
			properties.put("backoff.policies.policy-" + i + ".base", "1s");
		}
		properties.put("backoff.policies.orders.inherits", "x".repeat(1_000_000));
		assertThat(report(properties)).hasSize(1);
	}

	@Test
	void aLadderWithTooManyLevelsIsReportedBeforeItIsBuilt() {
		List<String> levels = new ArrayList<>();
		for (int i = 0; i < 2_000; i++) {
			levels.add("1s x1000000");
		}
		assertThat(report(Map.of("backoff.policies.orders.ladder", String.join(",", levels)))).isNotEmpty();
	}

	@Test
	void aLadderOfAMillionLevelsIsReadInTime() {
		assertThat(report(Map.of("backoff.policies.orders.ladder", "1ms x1000000"))).isEmpty();
	}

	@Test
	void variablesThatCollideAreReported() {
		assertThat(reportOfVariables(Map.of("BACKOFF_POLICIES_ORDERQUEUE_BASE", "1s",
				"BACKOFF_POLICIES_ORDER_QUEUE_BASE", "2s", "backoff_policies_order_queue_base", "3s")))
			.isNotEmpty();
	}

	@Test
	void variablesOfPlatformsAreLeftAlone() {
		assertThat(reportOfVariables(Map.of("BACKOFF_PORT", "tcp://10.0.0.1:80", "BACKOFF_SERVICE_HOST", "10.0.0.1",
				"BACKOFF_POLICIES_PORT_80_TCP_PROTO", "tcp", "BACKOFF_DEFAULTS_SERVICE_PORT", "80", "BACKOFF_", "x",
				"BACKOFF", "x", "BACKOFF__", "x", "BACKOFF_POLICIES_", "x", "BACKOFF_POLICIES_BASE", "x")))
			.isEmpty();
	}

	@Test
	void policiesWithNamesOfSymbolsAreCheckedAsOthersAre() {
		List<Problem> problems = report(
				Map.of("backoff.policies.[🔥].base", "20s", "backoff.policies.[🔥].cap", "10s"));
		assertThat(problems).singleElement()
			.extracting(Problem::message)
			.asString()
			.contains("must not be below the base");
	}

	@Test
	void aNameThatCouldForgeALogLineIsReported() {
		assertThat(report(Map.of("backoff.policies[a\nERROR forged].base", "1s"))).singleElement()
			.asString()
			.contains("whose name has line breaks or the like");
	}

	@Test
	void placeholdersThatNestDeepAreReported() {
		Map<String, Object> properties = new LinkedHashMap<>();
		properties.put("backoff.policies.orders.base", "${p0}");
		for (int i = 0; i < 500; i++) {
			properties.put("p" + i, "${p" + (i + 1) + "}");
		}
		properties.put("p500", "7ms");
		assertThat(report(properties)).isEmpty();
		properties.put("p500", "${p0}");
		assertThat(report(properties)).isNotEmpty();
	}

	private static List<Problem> report(Map<String, ?> properties) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new MapPropertySource("map", new LinkedHashMap<>(properties)));
		return report(environment);
	}

	private static List<Problem> reportOfVariables(Map<String, Object> variables) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new SystemEnvironmentPropertySource("systemEnvironment", variables));
		return report(environment);
	}

	static List<Problem> report(StandardEnvironment environment) {
		ConfigurationPropertySources.attach(environment);
		BackoffPolicies policies = new BackoffPolicies(BackoffConfiguration.read(environment), environment,
				ConfigurationReaderTests.class.getClassLoader());
		List<Problem> problems = new ArrayList<>();
		policies.current().check(problems);
		policies.current().names().forEach((name) -> assertThat(policies.current().peek(name)).isNotNull());
		assertThat(policies.current().unused(Section.POLICIES)).isNotNull();
		return problems;
	}

}
