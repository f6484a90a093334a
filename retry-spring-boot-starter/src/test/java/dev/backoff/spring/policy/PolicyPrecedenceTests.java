package dev.backoff.spring.policy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.converter.ConvertWith;
import org.junit.jupiter.params.converter.TypedArgumentConverter;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.annotation.Backoff;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Section;
import dev.backoff.spring.configuration.SmallApplication;
import dev.backoff.time.Nanos;

import static org.assertj.core.api.Assertions.assertThat;

/** Which level wins, and what yields to whom. */
class PolicyPrecedenceTests {

	private static SmallApplication application(Class<?> bean, String yaml) {
		return SmallApplication.of(bean).yaml(yaml);
	}

	private static String value(EffectivePolicy policy, Key<?> key) {
		EffectiveValue value = policy.values().get(key);
		return (value != null) ? value.value() + " <- " + value.origin() : "-";
	}

	@Nested
	class Levels {

		@Test
		void nothingIsSet() {
			application(Bare.class, "").runWithPolicy((policy) -> {
				assertThat(policy.name()).isEqualTo("Bare.place");
				assertThat(policy.values().values()).extracting(EffectiveValue::origin).containsOnly("built in");
				assertThat(policy.numbers())
					.hasToString("RetryPolicy Bare.place (4 attempts, exponential 100ms ×2, cap 10s, "
							+ "jitter full, no deadline)");
			});
		}

		/* Every key at every level: the type has 1, the method 2, and so on. */
		@ParameterizedTest
		@CsvSource(delimiter = '|',
				textBlock = """
						BASE            | 11ms | 22ms | 33ms | 44ms | 55ms
						CAP             | 11s  | 22s  | 33s  | 44s  | 55s
						MULTIPLIER      | 1.1  | 1.2  | 1.3  | 1.4  | 1.5
						JITTER          | 11%  | 22%  | 33%  | 44%  | 55%
						MAX_ATTEMPTS    | 11   | 12   | 13   | 14   | 15
						DEADLINE        | 11m  | 22m  | 33m  | 44m  | 55m
						ATTEMPT_TIMEOUT | 11s  | 22s  | 33s  | 44s  | 55s
						CLASSIFIER      | backoffFailureClassifiers | backoffFailureClassifiers | backoffFailureClassifiers | backoffFailureClassifiers | backoffFailureClassifiers
						""")
		void laterLevelsWin(@ConvertWith(Keys.class) Key<?> key, String defaults, String type, String method,
				String inherited, String own) {
			String yaml = "backoff.defaults." + key.key() + ": " + defaults + "\n";
			application(Bare.class, yaml).runWithPolicy(
					(policy) -> assertThat(value(policy, key)).isEqualTo(defaults + " <- application.yml:1"));
			application(OnType.class, yaml)
				.runWithPolicy((policy) -> assertThat(value(policy, key)).isEqualTo(type + " <- annotation on OnType"));
			application(OnBoth.class, yaml).runWithPolicy(
					(policy) -> assertThat(value(policy, key)).isEqualTo(method + " <- annotation on OnBoth.place"));
			yaml += "backoff.policies.parent." + key.key() + ": " + inherited + "\n";
			yaml += "backoff.policies.both.inherits: parent\n";
			application(OnBoth.class, yaml).runWithPolicy(
					(policy) -> assertThat(value(policy, key)).isEqualTo(inherited + " <- application.yml:2"));
			yaml += "backoff.policies.both." + key.key() + ": " + own + "\n";
			application(OnBoth.class, yaml)
				.runWithPolicy((policy) -> assertThat(value(policy, key)).isEqualTo(own + " <- application.yml:4"));
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				ENABLED             | true  | false
				SHORTEST_ATTEMPT    | 20ms  | 30ms
				THROTTLED_BASE      | 2s    | 3s
				MATCH_CAUSES        | true  | false
				FINAL_POLL       | true  | false
				NESTED              | stop  | multiply
				RETRY_AFTER_ENABLED | true  | false
				RETRY_AFTER_MAX     | 2m    | 3m
				""")
		void keysThatNoAnnotationHas(@ConvertWith(Keys.class) Key<?> key, String defaults, String own) {
			String yaml = "backoff.defaults." + key.key() + ": " + defaults + "\n";
			application(Bare.class, yaml).runWithPolicy(
					(policy) -> assertThat(value(policy, key)).isEqualTo(defaults + " <- application.yml:1"));
			application(Bare.class, yaml + "backoff.policies.\"[Bare.place]\"." + key.key() + ": " + own)
				.runWithPolicy((policy) -> assertThat(value(policy, key)).isEqualTo(own + " <- application.yml:2"));
		}

		@Test
		void inheritedThenPresetThenExplicit() {
			application(Named.class, """
					backoff.policies:
					  parent: { base: 3s, cap: 50s, max-attempts: 9, jitter: equal, deadline: 4m }
					  named:
					    inherits: parent
					    preset: health-check
					    max-attempts: 4
					""").runWithPolicy((policy) -> {
				assertThat(value(policy, PolicyKey.INHERITS)).isEqualTo("parent <- application.yml:4");
				assertThat(value(policy, PolicyKey.PRESET)).isEqualTo("health-check <- application.yml:5");
				assertThat(value(policy, PolicyKey.BASE)).isEqualTo("1s <- preset health-check, application.yml:5");
				assertThat(value(policy, PolicyKey.CAP)).isEqualTo("5s <- preset health-check, application.yml:5");
				assertThat(value(policy, PolicyKey.MAX_ATTEMPTS)).isEqualTo("4 <- application.yml:6");
				assertThat(value(policy, PolicyKey.JITTER)).isEqualTo("equal <- application.yml:2");
				assertThat(value(policy, PolicyKey.DEADLINE)).isEqualTo("4m <- application.yml:2");
			});
		}

		@Test
		void chainOfFiveMergesInOrder() {
			application(Named.class, """
					backoff.policies:
					  a: { base: 1ms, cap: 1m, max-attempts: 1, jitter: none, deadline: 9m }
					  b: { inherits: a, base: 2ms, cap: 2m, max-attempts: 2, jitter: equal }
					  c: { inherits: b, base: 3ms, cap: 3m, max-attempts: 3 }
					  d: { inherits: C, base: 4ms, cap: 4m }
					  named: { inherits: d, base: 5ms }
					""").runWithPolicy((policy) -> {
				assertThat(value(policy, PolicyKey.BASE)).isEqualTo("5ms <- application.yml:6");
				assertThat(value(policy, PolicyKey.CAP)).isEqualTo("4m <- application.yml:5");
				assertThat(value(policy, PolicyKey.MAX_ATTEMPTS)).isEqualTo("3 <- application.yml:4");
				assertThat(value(policy, PolicyKey.JITTER)).isEqualTo("equal <- application.yml:3");
				assertThat(value(policy, PolicyKey.DEADLINE)).isEqualTo("9m <- application.yml:2");
			});
		}

		@Test
		void noneClearsAnInheritedDeadline() {
			application(Named.class, """
					backoff.policies:
					  parent: { deadline: 4m }
					  named: { inherits: parent, deadline: none }
					""").runWithPolicy((policy) -> {
				assertThat(value(policy, PolicyKey.DEADLINE)).isEqualTo("none <- application.yml:3");
				assertThat(policy.numbers().deadlineNanos()).isEqualTo(Nanos.UNLIMITED);
			});
		}

		@Test
		void presetOfTheAnnotationYieldsToThePolicy() {
			application(PresetAnnotation.class, "backoff.policies.\"[PresetAnnotation.place]\".base: 7s")
				.runWithPolicy((policy) -> {
					assertThat(value(policy, PolicyKey.BASE)).isEqualTo("7s <- application.yml:1");
					assertThat(value(policy, PolicyKey.CAP))
						.isEqualTo("7s <- raised to the base (application.yml:1) from 2s (preset user-facing, "
								+ "annotation on PresetAnnotation.place)");
					assertThat(value(policy, PolicyKey.DEADLINE))
						.isEqualTo("5s <- preset user-facing, annotation on PresetAnnotation.place");
				});
		}

		@Test
		void everyPresetCanStandAlone() {
			for (String preset : List.of("user-facing", "background", "message", "critical", "health-check",
					"short-job", "medium-job", "long-job")) {
				application(Named.class, "backoff.policies.named.preset: " + preset)
					.runWithPolicy((policy) -> assertThat(value(policy, PolicyKey.PRESET)).startsWith(preset + " <- "));
			}
		}

	}

	@Nested
	class Lists {

		@Test
		void retryOnReplaces() {
			application(WithLists.class,
					"""
							backoff.defaults.retry-on: java.lang.Exception
							backoff.policies.lists.retry-on: [java.io.FileNotFoundException, java.util.concurrent.CancellationException]
							""")
				.runWithPolicy((policy) -> {
					assertThat(policy.numbers().retryOn()).containsExactly(FileNotFoundException.class,
							CancellationException.class);
					assertThat(value(policy, PolicyKey.RETRY_ON)).isEqualTo(
							"java.io.FileNotFoundException, java.util.concurrent.CancellationException <- application.yml:2");
				});
		}

		@Test
		void emptyRetryOnRestoresTheDefault() {
			application(WithLists.class, "backoff.policies.lists.retry-on: []").runWithPolicy((policy) -> {
				assertThat(policy.numbers().retryOn()).isEmpty();
				assertThat(value(policy, PolicyKey.RETRY_ON)).isEqualTo("[] <- application.yml:1");
			});
		}

		@Test
		void abortOnAddsUp() {
			application(WithLists.class, """
					backoff.defaults.abort-on: java.util.concurrent.TimeoutException
					backoff.policies.parent.abort-on: [java.io.FileNotFoundException, java.io.EOFException]
					backoff.policies.lists:
					  inherits: parent
					  abort-on: java.io.EOFException
					""").runWithPolicy((policy) -> {
				assertThat(policy.numbers().abortOn()).containsExactly(TimeoutException.class,
						IllegalStateException.class, FileNotFoundException.class, java.io.EOFException.class);
				assertThat(policy.values().get(PolicyKey.ABORT_ON).origin()).isEqualTo(
						"application.yml:1, annotation on WithLists.place, application.yml:2, application.yml:5");
			});
		}

	}

	@Nested
	class Yielding {

		@ParameterizedTest(name = "{0}")
		@CsvSource(delimiter = '|',
				textBlock = """
						the built-in cap stays over a short base         | policies.named.base: 1ms                       | CAP             | 10s <- built in
						the cap of a weaker level stays if it is larger  | defaults.cap: 50s, policies.named.base: 20s    | CAP             | 50s <- application.yml:1
						the longest hint follows a cap that is set       | policies.named: { base: 10s, cap: 5m }         | RETRY_AFTER_MAX | 5m <- built in
						the longest hint follows the longest level        | policies.named.ladder: [1s, 10m, 5s]           | RETRY_AFTER_MAX | 10m <- built in
						the throttled base is lowered to the cap         | defaults.throttled-base: 2s, policies.named.cap: 500ms | THROTTLED_BASE  | 500ms <- lowered to the cap
						a throttled base that is not set stays          | policies.named.cap: 500ms                      | THROTTLED_BASE  | 1s <- built in
						a weaker cap below the base is raised to it      | defaults.cap: 5s, policies.named.base: 20s     | CAP             | 20s <- raised to the base (application.yml:1) from 5s (application.yml:1)
						for decorrelated jitter to twice the base        | defaults.cap: 30s, policies.named: { base: 20s, jitter: decorrelated } | CAP | 40s <- raised to twice the base (application.yml:1) from 30s (application.yml:1)
						that of a preset too                             | policies.named: { preset: critical, base: 1m } | CAP             | 1m <- raised to the base (application.yml:1) from 30s (preset critical, application.yml:1)
						the longest hint follows a cap that is raised    | defaults.cap: 5s, policies.named.base: 2m      | RETRY_AFTER_MAX | 2m <- built in
						linear steps by the base unless set              | policies.named: { shape: linear, base: 300ms } | STEP            | 300ms <- built in
						an heir may complete what its parent leaves open | policies: { parent: { cap: 50ms, step: 20ms }, named: { inherits: parent, base: 10ms, shape: linear } } | STEP            | 20ms <- application.yml:1
						""")
		void oneValueGoesByAnother(String rule, String backoff, @ConvertWith(Keys.class) Key<?> key, String expected) {
			application(Named.class, "backoff: { " + backoff + " }")
				.runWithPolicy((policy) -> assertThat(value(policy, key)).as(rule).isEqualTo(expected));
		}

		@Test
		void builtInCapFollowsALongBase() {
			application(Named.class, "backoff.policies.named: { base: 10s, multiplier: 2 }").runWithPolicy((policy) -> {
				assertThat(value(policy, PolicyKey.CAP)).isEqualTo("1000s <- built in, 100 times the base");
				assertThat(IntStream.rangeClosed(1, 3).mapToObj((retry) -> policy.numbers().rule().capped(retry)))
					.containsExactly(Nanos.of(Duration.ofSeconds(10)), Nanos.of(Duration.ofSeconds(20)),
							Nanos.of(Duration.ofSeconds(40)));
				assertThat(value(policy, PolicyKey.RETRY_AFTER_MAX)).isEqualTo("1m <- built in");
			});
		}

		@Test
		void annotationMayCompleteWhatAPolicyLeavesOpen() {
			application(Completing.class, """
					backoff.policies:
					  completing: { cap: 50ms, shape: linear }
					""").runWithPolicy((policy) -> {
				assertThat(value(policy, PolicyKey.BASE)).isEqualTo("10ms <- annotation on Completing.place");
				assertThat(value(policy, PolicyKey.STEP)).isEqualTo("5ms <- annotation on Completing.place");
				assertThat(value(policy, PolicyKey.CAP)).isEqualTo("50ms <- application.yml:2");
			});
		}

	}

	@Nested
	class Ladders {

		@Test
		void makeOneRetryALevel() {
			application(Ladder.class, "backoff.defaults: { max-attempts: 3, cap: 2s }").runWithPolicy((policy) -> {
				assertThat(policy.numbers().maxAttempts()).isEqualTo(8);
				assertThat(value(policy, PolicyKey.MAX_ATTEMPTS))
					.isEqualTo("8 <- one retry a level, annotation on Ladder.place");
				assertThat(value(policy, PolicyKey.SHAPE)).isEqualTo("ladder <- annotation on Ladder.place");
				assertThat(value(policy, PolicyKey.LADDER)).isEqualTo("1s x5, 5s, 30s <- annotation on Ladder.place");
				assertThat(value(policy, PolicyKey.JITTER)).isEqualTo("20% <- built in");
				assertThat(policy.numbers().rule().capNanos()).isEqualTo(Nanos.UNLIMITED);
			});
		}

		@Test
		void goOnUntilTheDeadline() {
			application(Ladder.class, "backoff.policies.ladder.deadline: 3m").runWithPolicy((policy) -> {
				assertThat(policy.numbers().maxAttempts()).isEqualTo(RetryPolicy.UNLIMITED_ATTEMPTS);
				assertThat(value(policy, PolicyKey.MAX_ATTEMPTS))
					.isEqualTo("unlimited <- until the deadline, annotation on Ladder.place");
			});
		}

		@Test
		void keepAttemptsAndCapOfTheirLevelAndAbove() {
			application(Ladder.class, "backoff.policies.ladder: { deadline: 3m, max-attempts: 6, cap: 4s }")
				.runWithPolicy((policy) -> {
					assertThat(value(policy, PolicyKey.MAX_ATTEMPTS)).isEqualTo("6 <- application.yml:1");
					assertThat(value(policy, PolicyKey.CAP)).isEqualTo("4s <- application.yml:1");
				});
		}

		@Test
		void replaceTheBaseOfAWeakerLevel() {
			application(OnBoth.class, "backoff.policies.both.ladder: 1s, 2s").runWithPolicy((policy) -> {
				assertThat(policy.values()).doesNotContainKeys(PolicyKey.BASE, PolicyKey.MULTIPLIER);
				assertThat(value(policy, PolicyKey.LADDER)).isEqualTo("1s, 2s <- application.yml:1");
			});
		}

		@Test
		void yieldToAPresetOfAStrongerLevel() {
			application(Ladder.class, "backoff.policies.ladder.preset: critical").runWithPolicy((policy) -> {
				assertThat(value(policy, PolicyKey.SHAPE))
					.isEqualTo("exponential <- preset critical, application.yml:1");
				assertThat(policy.values()).doesNotContainKey(PolicyKey.LADDER);
			});
		}

		@Test
		void replaceDecorrelatedJitterOfAWeakerLevel() {
			application(Ladder.class, "backoff.defaults.jitter: decorrelated")
				.runWithPolicy((policy) -> assertThat(value(policy, PolicyKey.JITTER))
					.isEqualTo("20% <- built in, because decorrelated (application.yml:1) needs an exponential"));
		}

		@Test
		void fitTheShapeThatAStrongerLevelNames() {
			application(Ladder.class, "backoff.policies.ladder.shape: Ladder").runWithPolicy(
					(policy) -> assertThat(value(policy, PolicyKey.SHAPE)).isEqualTo("ladder <- application.yml:1"));
		}

	}

	@Test
	void otherShapesLeaveOutNumbersOfWeakerLevels() {
		application(OnBoth.class, "backoff.policies.both.shape: fixed").runWithPolicy((policy) -> {
			assertThat(policy.values()).doesNotContainKeys(PolicyKey.MULTIPLIER, PolicyKey.STEP);
			assertThat(value(policy, PolicyKey.BASE)).isEqualTo("33ms <- annotation on OnBoth.place");
		});
	}

	public static class Bare {

		@Backoff
		public void place() {
		}

	}

	public static class Named {

		@Backoff("named")
		public void place() {
		}

	}

	@Backoff(base = "22ms", cap = "22s", multiplier = "1.2", jitter = "22%", maxAttempts = "12", deadline = "22m",
			attemptTimeout = "22s", classifier = "backoffFailureClassifiers")
	public static class OnType {

		public void place() {
		}

	}

	@Backoff(value = "unused", base = "22ms", cap = "22s", multiplier = "1.2", jitter = "22%", maxAttempts = "12",
			deadline = "22m", attemptTimeout = "22s", classifier = "backoffFailureClassifiers")
	public static class OnBoth {

		@Backoff(value = "both", base = "33ms", cap = "33s", multiplier = "1.3", jitter = "33%", maxAttempts = "13",
				deadline = "33m", attemptTimeout = "33s", classifier = "backoffFailureClassifiers")
		public void place() {
		}

	}

	public static class PresetAnnotation {

		@Backoff(preset = "user-facing")
		public void place() {
		}

	}

	public static class WithLists {

		@Backoff(value = "lists", retryOn = IOException.class, abortOn = IllegalStateException.class)
		public void place() {
		}

	}

	public static class Completing {

		@Backoff(value = "completing", base = "10ms", step = "5ms", shape = "linear")
		public void place() {
		}

	}

	public static class Ladder {

		@Backoff(value = "ladder", ladder = { "1s x5", "5s", "30s" })
		public void place() {
		}

	}

	private static final class Keys extends TypedArgumentConverter<String, Key<?>> {

		@SuppressWarnings("unchecked")
		Keys() {
			super(String.class, (Class<Key<?>>) (Class<?>) Key.class);
		}

		@Override
		protected Key<?> convert(String source) {
			return Section.POLICIES.keyOf(source);
		}

	}

}
