package dev.backoff.spring.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import ch.qos.logback.classic.Level;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.Ordered;

import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.Crowd;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.live.ConfigurationListener.Outcome;
import dev.backoff.spring.observation.LogCapture;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.ConfigurationUser;
import dev.backoff.spring.policy.PolicyResolver;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Changes are made as a whole or not at all, one after the other. */
@Tag("long")
class SwitchoverTests extends LiveApplication {

	private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);

	SwitchoverTests() {
		this.centre.putAll(Map.of("backoff.defaults.jitter", "none", "backoff.defaults.budget", "none",
				"backoff.policies.orders.base", "1s", "backoff.policies.orders.cap", "1h", "backoff.policies.mail.base",
				"1s"));
	}

	private double overridden(String policy) {
		return this.registry.get("backoff.overrides").tag("policy", policy).gauge().value();
	}

	@Nested
	class AllOrNothing {

		@Test
		void timersThatCannotBeSetChangeNothing() {
			start();
			live.override("orders", Map.of("cap", "2h"), HALF_AN_HOUR);
			time.failWith(new IllegalStateException("no timer"));
			assertThatIllegalStateException()
				.isThrownBy(() -> live.override("orders", Map.of("base", "4s", "cap", "3h"), HALF_AN_HOUR));
			assertThatIllegalStateException().isThrownBy(() -> live.overrideRetriesEnabled(false, HALF_AN_HOUR));
			assertThat(value("Shop.order", PolicyKey.BASE).value()).isEqualTo("1s");
			assertThat(context.getBean(BackoffPolicies.class).configuration().overrides().of("orders"))
				.hasEntrySatisfying(PolicyKey.CAP, (value) -> assertThat(value.text()).isEqualTo("2h"))
				.hasSize(1);
			assertThat(context.getBean(BackoffPolicies.class).configuration().isRetriesEnabled()).isTrue();
			assertThat(live.until("orders", PolicyKey.CAP)).isPresent();
		}

		@Test
		void whatIsRefusedLeavesNoTimer() {
			start();
			assertThatExceptionOfType(InvalidBackoffException.class)
				.isThrownBy(() -> live.override("orders", Map.of("cap", "1ms"), HALF_AN_HOUR));
			assertThat(time.pending()).isZero();
		}

		@ParameterizedTest
		@ValueSource(longs = { Long.MAX_VALUE, Long.MAX_VALUE / 1000, 9999999L * 86400 })
		void limitsBeyondAllTimeAreVeryLong(long seconds) {
			start();
			live.override("orders", Map.of("base", "4s"), Duration.ofSeconds(seconds));
			assertThat(value("Shop.order", PolicyKey.BASE).value()).isEqualTo("4s");
			assertThat(live.until("orders", PolicyKey.BASE)).isPresent();
		}

		@Test
		void errorsOfOneDoNotKeepTheOthersFromFollowing() {
			List<Outcome> told = new ArrayList<>();
			start((beans) -> {
				beans.registerBean(Shop.class);
				beans.registerBean("a", Faulty.class, () -> new Faulty(new NoClassDefFoundError("gone")));
				beans.registerBean("listener", ConfigurationListener.class,
						() -> (outcome, overrides) -> told.add(outcome));
			});
			live.override("orders", Map.of("base", "4s"), HALF_AN_HOUR);
			assertThat(waits(Shop::order)).startsWith(Duration.ofSeconds(4));
			assertThat(live.until("orders", PolicyKey.BASE)).isPresent();
			assertThat(overridden("orders")).isEqualTo(1);
			assertThat(told).containsExactly(Outcome.OVERRIDDEN);
		}

		@Test
		void errorsWhileSomethingIsMadeChangeNothing() {
			Faulty faulty = new Faulty(null);
			start((beans) -> {
				beans.registerBean(Shop.class);
				beans.registerBean("zz", Faulty.class, () -> faulty);
			});
			for (Throwable trouble : List.of(new NoClassDefFoundError("gone"), new IllegalStateException("no"))) {
				faulty.inMake = trouble;
				assertThat(catchThrowable(() -> live.override("orders", Map.of("base", "4s"), HALF_AN_HOUR)))
					.isSameAs(trouble);
				centre.put("backoff.policies.orders.base", "3s");
				assertThat(refresh()).isFalse();
				centre.put("backoff.policies.orders.base", "1s");
				assertThat(waits(Shop::order)).startsWith(Duration.ofSeconds(1));
				assertThat(value("Shop.order", PolicyKey.BASE).value()).isEqualTo("1s");
				assertThat(time.pending()).isZero();
			}
			assertThat(changes("refused")).isEqualTo(2);
		}

		@Test
		void classifiersThatCannotBeMadeChangeNothing() {
			AtomicBoolean broken = new AtomicBoolean();
			start((beans) -> {
				beans.registerBean(Shop.class);
				beans.registerBean("moody", FailureClassifier.class, () -> {
					if (broken.get()) {
						throw new IllegalStateException("cannot be made");
					}
					return (failure) -> null;
				}, (definition) -> definition.setScope("prototype"));
			});
			broken.set(true);
			centre.put("backoff.policies.orders.classifier", "moody");
			centre.put("backoff.policies.orders.base", "5s");
			assertThat(refresh()).isFalse();
			assertThat(waits(Shop::order)).startsWith(Duration.ofSeconds(1));
			broken.set(false);
			assertThat(refresh()).isTrue();
			assertThat(waits(Shop::order)).startsWith(Duration.ofSeconds(5));
		}

		@Test
		void overridesThatCannotBeEndedAreTriedAgain() {
			Faulty faulty = new Faulty(null);
			start((beans) -> {
				beans.registerBean(Shop.class);
				beans.registerBean(Faulty.class, () -> faulty);
			});
			live.override("orders", Map.of("base", "4s"), HALF_AN_HOUR);
			faulty.inMake = new NoClassDefFoundError("for a while");
			try (LogCapture log = new LogCapture(LiveConfiguration.class)) {
				time.advance(HALF_AN_HOUR);
				assertThat(time.runDue()).isEqualTo(1);
				Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> time.pending() == 1);
				Awaitility.await()
					.atMost(1, TimeUnit.MINUTES)
					.until(() -> live.until("orders", PolicyKey.BASE).isPresent());
				assertThat(log.lines(Level.ERROR))
					.containsExactly("Could not end overrides whose time is over; trying again in 1m");
			}
			faulty.inMake = null;
			time.advance(Duration.ofMinutes(1));
			assertThat(time.runDue()).isEqualTo(1);
			Awaitility.await()
				.atMost(1, TimeUnit.MINUTES)
				.until(() -> value("Shop.order", PolicyKey.BASE).value().equals("1s"));
		}

	}

	@Nested
	class WhileSwitchedOff {

		@Test
		void overridesAreCheckedNevertheless() {
			centre.putAll(Map.of("backoff.enabled", "false", "backoff.policies.bad.base", "nonsense"));
			start();
			assertThatExceptionOfType(InvalidBackoffException.class)
				.isThrownBy(() -> live.override("orders", Map.of("base", "soon"), null))
				.withMessageStartingWith(
						"Invalid base of policy orders (soon) at live override: " + "must be a duration.")
				.withMessageNotContaining("nonsense");
			assertThatExceptionOfType(InvalidBackoffException.class)
				.isThrownBy(() -> live.preview("orders", Map.of("base", "soon")));
			List<ValueChange> unused = live.override("orders", Map.of("base", "2s"), null);
			assertThat(context.getBean(BackoffPolicies.class).configuration().overrides().of("orders"))
				.hasEntrySatisfying(PolicyKey.BASE, (value) -> assertThat(value.text()).isEqualTo("2s"))
				.hasSize(1);
		}

		@Test
		void overridesOfMethodsWithoutAPolicyCanBeReset() {
			start();
			live.override("Shop.unnamed", Map.of("base", "2s"), null);
			centre.put("backoff.enabled", "false");
			assertThat(refresh()).isTrue();
			live.reset("Shop.unnamed");
			assertThat(context.getBean(BackoffPolicies.class).configuration().overrides().isEmpty()).isTrue();
		}

	}

	@Nested
	class Combined {

		private void configure(Map<String, String> properties) {
			centre.putAll(properties);
			if (live == null) {
				start();
			}
			else {
				assertThat(refresh()).isTrue();
			}
		}

		private void refused(Map<String, String> properties, Map<String, String> values, String message) {
			configure(properties);
			List<PolicyUse> before = context.getBean(BackoffMethods.class).uses();
			assertThatExceptionOfType(InvalidBackoffException.class)
				.isThrownBy(() -> live.override("orders", values, null))
				.withMessageContaining(message);
			assertThat(context.getBean(BackoffMethods.class).uses().toString()).isEqualTo(before.toString());
			assertThat(context.getBean(BackoffPolicies.class).configuration().overrides().isEmpty()).isTrue();
		}

		private void gives(Map<String, String> properties, Map<String, String> values, long... millis) {
			configure(properties);
			List<ValueChange> unused = live.override("orders", values, null);
			assertThat(waits(Shop::order))
				.containsExactly(Arrays.stream(millis).mapToObj(Duration::ofMillis).toArray(Duration[]::new));
			live.reset();
		}

		@Test
		void withALadder() {
			Map<String, String> ladder = Map.of("backoff.policies.orders.shape", "ladder",
					"backoff.policies.orders.ladder", "1s, 5s, 9s");
			centre.remove("backoff.policies.orders.base");
			centre.remove("backoff.policies.orders.cap");
			gives(ladder, Map.of("max-attempts", "3"), 1000, 5000);
			gives(ladder, Map.of("cap", "4s"), 1000, 4000, 4000);
			gives(ladder, Map.of("enabled", "false"));
			refused(ladder, Map.of("base", "4s"), "base");
			refused(ladder, Map.of("multiplier", "3"), "multiplier");
		}

		@Test
		void withAPreset() {
			centre.remove("backoff.policies.orders.base");
			centre.remove("backoff.policies.orders.cap");
			Map<String, String> preset = Map.of("backoff.policies.orders.preset", "user-facing");
			gives(preset, Map.of("base", "3s", "deadline", "none"), 3000, 3000, 3000);
			gives(preset, Map.of("cap", "150ms"), 100, 150, 150);
			gives(preset, Map.of("base", "3s"), 3000);
		}

		@Test
		void withJitterThatNeedsRoom() {
			Map<String, String> decorrelated = Map.of("backoff.policies.orders.jitter", "decorrelated",
					"backoff.policies.orders.cap", "10s");
			refused(decorrelated, Map.of("cap", "1500ms"), "decorrelated");
			refused(decorrelated, Map.of("base", "6s", "cap", "10s"), "decorrelated");
			refused(decorrelated, Map.of("multiplier", "3"), "decorrelated");
			refused(Map.of("backoff.policies.orders.jitter", "none", "backoff.policies.orders.cap", "1500ms"),
					Map.of("base", "1s", "cap", "1500ms", "jitter", "decorrelated"), "decorrelated");
		}

		@Test
		void withThrottling() {
			gives(Map.of("backoff.policies.orders.throttled-base", "20s"), Map.of("base", "2s", "multiplier", "3"),
					2000, 6000, 18000);
			assertThat(live.override("orders", Map.of("cap", "10s"), null)).extracting(ValueChange::toString)
				.contains("policy orders: throttled-base 20s (the property source centre) -> 10s "
						+ "(lowered to the cap)");
		}

		@Test
		void withNamesInherited() {
			centre.putAll(Map.of("backoff.policies.grand.cap", "3s", "backoff.policies.grand.base", "1s",
					"backoff.policies.orders.inherits", "grand"));
			centre.remove("backoff.policies.orders.base");
			centre.remove("backoff.policies.orders.cap");
			start();
			live.override("grand", Map.of("base", "2s"), null);
			assertThat(waits(Shop::order)).containsExactly(Duration.ofSeconds(2), Duration.ofSeconds(3),
					Duration.ofSeconds(3));
			live.override("orders", Map.of("base", "5s"), null);
			assertThat(waits(Shop::order)).containsOnly(Duration.ofSeconds(5));
			live.reset("grand");
			assertThat(waits(Shop::order)).startsWith(Duration.ofSeconds(5));
			live.reset("orders");
			assertThat(waits(Shop::order)).startsWith(Duration.ofSeconds(1));
		}

	}

	@Test
	void fromWithinListenersMayChangeSomethingThemselves() {
		start((beans) -> {
			beans.registerBean(Shop.class);
			beans.registerBean("aa", ConfigurationListener.class, () -> (outcome, overrides) -> {
				if (outcome == Outcome.OVERRIDDEN && !overrides.of("orders").isEmpty()) {
					List<ValueChange> changes = live.reset("orders");
					assertThat(changes).isNotEmpty();
				}
			});
			beans.registerBean("last", LastTold.class);
		});
		live.override("orders", Map.of("base", "4s"), HALF_AN_HOUR);
		assertThat(value("Shop.order", PolicyKey.BASE).value()).isEqualTo("1s");
		assertThat(live.until("orders", PolicyKey.BASE)).isEmpty();
		AtomicReference<Overrides> last = context.getBean(LastTold.class).last;
		assertThat(last.get().isEmpty()).isTrue();
	}

	@Nested
	class AtOnce {

		@Test
		void changesAndCallsOfManyThreadsEndInOrder() {
			start();
			Shop shop = context.getBean(Shop.class);
			List<Callable<?>> kinds = List.of(
					() -> live.override("orders", Map.of("base", "2s"), Duration.ofSeconds(3)),
					() -> live.override("orders", Map.of("base", "3s", "cap", "2h"), null),
					() -> live.override("mail", Map.of("enabled", "false"), Duration.ofSeconds(1)),
					() -> live.overrideRetriesEnabled(false, Duration.ofSeconds(2)), () -> live.reset("orders"),
					live::reset, () -> refresh(), () -> live.preview("orders", Map.of("base", "9s")),
					() -> catchThrowable(shop::order), () -> catchThrowable(shop::mail), () -> {
						time.advance(Duration.ofSeconds(1));
						return time.runDue();
					}, () -> {
						live.operated("a test");
						return null;
					});
			Crowd.of(120, (number) -> {
				for (int i = 0; i < 20; i++) {
					assertThatNoException().isThrownBy(kinds.get(number % kinds.size())::call);
				}
			});
			live.reset();
			// stops that were not logged are told after a minute
			Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> {
				time.advance(Duration.ofMinutes(1));
				time.runDue();
				return time.pending() == 0;
			});
			assertThat(value("Shop.order", PolicyKey.BASE).value()).isEqualTo("1s");
			assertThat(waits(Shop::order)).startsWith(Duration.ofSeconds(1));
			assertThat(overridden("orders")).isZero();
			assertThat(overridden("*")).isZero();
		}

		@Test
		void anOverrideSetWhileTheOneBeforeEndsIsKept() {
			start();
			for (int i = 0; i < 200; i++) {
				live.override("orders", Map.of("base", "2s"), Duration.ofSeconds(1));
				Crowd.of(2, (number) -> {
					if (number == 0) {
						time.advance(Duration.ofSeconds(1));
						time.runDue();
					}
					else {
						live.override("orders", Map.of("base", "7s"), Duration.ZERO);
					}
				});
				assertThat(value("Shop.order", PolicyKey.BASE).value()).isEqualTo("7s");
				assertThat(live.until("orders", PolicyKey.BASE)).isEmpty();
				live.reset();
			}
		}

		@Test
		void changesMeetTheEndOfTheApplicationWithoutWaiting() throws Exception {
			AtomicInteger done = new AtomicInteger();
			ExecutorService threads = Executors.newFixedThreadPool(8);
			List<Future<?>> running = new ArrayList<>();
			start();
			CountDownLatch begun = new CountDownLatch(8);
			for (int i = 0; i < 8; i++) {
				running.add(threads.submit(() -> {
					for (int j = 0; j < 200; j++) {
						Throwable unused = catchThrowable(
								() -> live.override("orders", Map.of("base", "2s"), HALF_AN_HOUR));
						done.incrementAndGet();
						begun.countDown();
					}
					return null;
				}));
			}
			assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
			context.close();
			try {
				for (Future<?> each : running) {
					assertThat(catchThrowable(() -> each.get(60, TimeUnit.SECONDS))).isNull();
				}
			}
			finally {
				threads.shutdownNow();
			}
			assertThat(done.get()).isEqualTo(1600);
			assertThat(time.pending()).isZero();
		}

		@Test
		void manyOverridesLeaveNothing() {
			start();
			live.override("orders", Map.of("base", "1ms"), HALF_AN_HOUR);
			int meters = registry.getMeters().size();
			for (int i = 0; i < 2000; i++) {
				live.override("orders", Map.of("base", (i + 2) + "ms"), HALF_AN_HOUR);
			}
			assertThat(time.pending()).isEqualTo(1);
			assertThat(registry.getMeters()).hasSize(meters);
			live.reset();
			assertThat(time.pending()).isZero();
		}

	}

	/** Keeps the last overrides it was told. */
	static final class LastTold implements ConfigurationListener {

		private final AtomicReference<Overrides> last = new AtomicReference<>(Overrides.NONE);

		@Override
		public void changed(Outcome outcome, Overrides overrides) {
			this.last.set(overrides);
		}

	}

	/** Throws while a change is made or put into effect, and when told. */
	static final class Faulty implements ConfigurationUser, ConfigurationListener, Ordered {

		private final Throwable inCommit;

		private volatile Throwable inMake;

		Faulty(Throwable inCommit) {
			this.inCommit = inCommit;
		}

		@Override
		public Change prepare(PolicyResolver candidate, List<Problem> problems) {
			return () -> {
				fail(this.inMake);
				return () -> fail(this.inCommit);
			};
		}

		@Override
		public void changed(Outcome outcome, Overrides overrides) {
			fail(this.inCommit);
		}

		private static void fail(Throwable failure) {
			if (failure instanceof Error error) {
				throw error;
			}
			if (failure instanceof RuntimeException exception) {
				throw exception;
			}
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

}
