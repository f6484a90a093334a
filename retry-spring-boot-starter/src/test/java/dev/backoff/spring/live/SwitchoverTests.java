package dev.backoff.spring.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import ch.qos.logback.classic.Level;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.env.MapPropertySource;

import dev.backoff.annotation.Backoff;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.live.ConfigurationListener.Outcome;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;
import dev.backoff.spring.observation.LogCapture;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.ConfigurationUser;
import dev.backoff.spring.policy.PolicyUse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Changes are made as a whole or not at all, one after the other. */
@Timeout(300)
@Tag("long")
class SwitchoverTests {

	private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);

	private final Map<String, Object> centre = new ConcurrentHashMap<>(
			Map.of("backoff.defaults.jitter", "none", "backoff.defaults.budget", "none", "backoff.policies.orders.base",
					"1s", "backoff.policies.orders.cap", "1h", "backoff.policies.mail.base", "1s"));

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
				BackoffObservationAutoConfiguration.class))
		.withBean(SimpleMeterRegistry.class)
		.withBean(VirtualTime.class)
		.withBean(Shop.class)
		.withInitializer((context) -> context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("centre", this.centre)));

	private static String base(ApplicationContext context, String method) {
		return context.getBean(BackoffMethods.class)
			.uses()
			.stream()
			.filter((use) -> use.method().equals(method))
			.map(PolicyUse::policy)
			.findFirst()
			.orElseThrow()
			.values()
			.get(PolicyKey.BASE)
			.text();
	}

	private static List<Duration> waits(ApplicationContext context) {
		VirtualTime time = context.getBean(VirtualTime.class);
		int before = time.delays().size();
		assertThat(catchThrowable(() -> context.getBean(Shop.class).order())).isNotNull();
		return time.delays().subList(before, time.delays().size());
	}

	private static double overridden(ApplicationContext context, String policy) {
		return context.getBean(SimpleMeterRegistry.class)
			.get("backoff.overrides")
			.tag("policy", policy)
			.gauge()
			.value();
	}

	@Nested
	class AllOrNothing {

		@Test
		void timersThatCannotBeSetChangeNothing() {
			SwitchoverTests.this.runner.run((context) -> {
				LiveConfiguration live = context.getBean(LiveConfiguration.class);
				VirtualTime time = context.getBean(VirtualTime.class);
				live.override("orders", Map.of("cap", "2h"), HALF_AN_HOUR);
				time.failWith(new IllegalStateException("no timer"));
				assertThatIllegalStateException()
					.isThrownBy(() -> live.override("orders", Map.of("base", "4s", "cap", "3h"), HALF_AN_HOUR));
				assertThatIllegalStateException().isThrownBy(() -> live.overrideRetriesEnabled(false, HALF_AN_HOUR));
				assertThat(base(context, "Shop.order")).isEqualTo("1s");
				assertThat(context.getBean(BackoffPolicies.class).configuration().overrides().values("orders"))
					.isEqualTo(Map.of(PolicyKey.CAP, "2h"));
				assertThat(context.getBean(BackoffPolicies.class).configuration().isRetriesEnabled()).isTrue();
				assertThat(live.until("orders", PolicyKey.CAP)).isPresent();
			});
		}

		@Test
		void whatIsRefusedLeavesNoTimer() {
			SwitchoverTests.this.runner.run((context) -> {
				LiveConfiguration live = context.getBean(LiveConfiguration.class);
				assertThatExceptionOfType(InvalidBackoffException.class)
					.isThrownBy(() -> live.override("orders", Map.of("cap", "1ms"), HALF_AN_HOUR));
				assertThat(context.getBean(VirtualTime.class).pending()).isZero();
			});
		}

		@ParameterizedTest
		@ValueSource(longs = { Long.MAX_VALUE, Long.MAX_VALUE / 1000, 9999999L * 86400 })
		void limitsBeyondAllTimeAreVeryLong(long seconds) {
			SwitchoverTests.this.runner.run((context) -> {
				LiveConfiguration live = context.getBean(LiveConfiguration.class);
				live.override("orders", Map.of("base", "4s"), Duration.ofSeconds(seconds));
				assertThat(base(context, "Shop.order")).isEqualTo("4s");
				assertThat(live.until("orders", PolicyKey.BASE)).isPresent();
			});
		}

		@Test
		void errorsOfOneDoNotKeepTheOthersFromFollowing() {
			List<Outcome> told = new ArrayList<>();
			SwitchoverTests.this.runner.withBean("a", Faulty.class, () -> new Faulty(new NoClassDefFoundError("gone")))
				.withBean("listener", ConfigurationListener.class, () -> (outcome, overrides) -> told.add(outcome))
				.run((context) -> {
					LiveConfiguration live = context.getBean(LiveConfiguration.class);
					live.override("orders", Map.of("base", "4s"), HALF_AN_HOUR);
					assertThat(waits(context)).startsWith(Duration.ofSeconds(4));
					assertThat(live.until("orders", PolicyKey.BASE)).isPresent();
					assertThat(overridden(context, "orders")).isEqualTo(1);
					assertThat(told).containsExactly(Outcome.OVERRIDDEN);
				});
		}

		@Test
		void errorsWhileSomethingIsMadeChangeNothing() {
			Faulty faulty = new Faulty(null);
			SwitchoverTests.this.runner.withBean("zz", Faulty.class, () -> faulty).run((context) -> {
				LiveConfiguration live = context.getBean(LiveConfiguration.class);
				for (Throwable trouble : List.of(new NoClassDefFoundError("gone"), new IllegalStateException("no"))) {
					faulty.inMake = trouble;
					assertThat(catchThrowable(() -> live.override("orders", Map.of("base", "4s"), HALF_AN_HOUR)))
						.isSameAs(trouble);
					SwitchoverTests.this.centre.put("backoff.policies.orders.base", "3s");
					assertThat(live.refresh("a test")).isFalse();
					SwitchoverTests.this.centre.put("backoff.policies.orders.base", "1s");
					assertThat(waits(context)).startsWith(Duration.ofSeconds(1));
					assertThat(base(context, "Shop.order")).isEqualTo("1s");
					assertThat(context.getBean(VirtualTime.class).pending()).isZero();
				}
				assertThat(context.getBean(SimpleMeterRegistry.class)
					.get("backoff.refresh")
					.tag("outcome", "refused")
					.functionCounter()
					.count()).isEqualTo(2);
			});
		}

		@Test
		void classifiersThatCannotBeMadeChangeNothing() {
			AtomicBoolean broken = new AtomicBoolean();
			SwitchoverTests.this.runner.withBean("moody", FailureClassifier.class, () -> {
				if (broken.get()) {
					throw new IllegalStateException("cannot be made");
				}
				return (failure) -> null;
			}, (definition) -> definition.setScope("prototype")).run((context) -> {
				LiveConfiguration live = context.getBean(LiveConfiguration.class);
				broken.set(true);
				SwitchoverTests.this.centre.put("backoff.policies.orders.classifier", "moody");
				SwitchoverTests.this.centre.put("backoff.policies.orders.base", "5s");
				assertThat(live.refresh("a test")).isFalse();
				assertThat(waits(context)).startsWith(Duration.ofSeconds(1));
				broken.set(false);
				assertThat(live.refresh("a test")).isTrue();
				assertThat(waits(context)).startsWith(Duration.ofSeconds(5));
			});
		}

		@Test
		void overridesThatCannotBeEndedAreTriedAgain() {
			Faulty faulty = new Faulty(null);
			SwitchoverTests.this.runner.withBean(Faulty.class, () -> faulty).run((context) -> {
				LiveConfiguration live = context.getBean(LiveConfiguration.class);
				VirtualTime time = context.getBean(VirtualTime.class);
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
						.containsExactly("Could not end the overrides of orders; trying again in 1m");
				}
				faulty.inMake = null;
				time.advance(Duration.ofMinutes(1));
				assertThat(time.runDue()).isEqualTo(1);
				Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> base(context, "Shop.order").equals("1s"));
			});
		}

	}

	@Nested
	class WhileSwitchedOff {

		@Test
		void overridesAreCheckedNevertheless() {
			SwitchoverTests.this.runner
				.withPropertyValues("backoff.enabled=false", "backoff.policies.bad.base=nonsense")
				.run((context) -> {
					LiveConfiguration live = context.getBean(LiveConfiguration.class);
					assertThatExceptionOfType(InvalidBackoffException.class)
						.isThrownBy(() -> live.override("orders", Map.of("base", "soon"), null))
						.withMessageStartingWith(
								"Invalid base of policy orders (soon) at live override: " + "must be a duration.")
						.withMessageNotContaining("nonsense");
					assertThatExceptionOfType(InvalidBackoffException.class)
						.isThrownBy(() -> live.preview("orders", Map.of("base", "soon")));
					List<ValueChange> unused = live.override("orders", Map.of("base", "2s"), null);
					assertThat(context.getBean(BackoffPolicies.class).configuration().overrides().values("orders"))
						.isEqualTo(Map.of(PolicyKey.BASE, "2s"));
				});
		}

		@Test
		void overridesOfMethodsWithoutAPolicyCanBeReset() {
			SwitchoverTests.this.runner.run((context) -> {
				LiveConfiguration live = context.getBean(LiveConfiguration.class);
				live.override("Shop.unnamed", Map.of("base", "2s"), null);
				SwitchoverTests.this.centre.put("backoff.enabled", "false");
				assertThat(live.refresh("a test")).isTrue();
				live.reset("Shop.unnamed");
				assertThat(context.getBean(BackoffPolicies.class).configuration().overrides().isEmpty()).isTrue();
			});
		}

	}

	@Nested
	class Combined {

		private void refused(Map<String, String> properties, Map<String, String> values, String message) {
			SwitchoverTests.this.centre.putAll(properties);
			SwitchoverTests.this.runner.run((context) -> {
				List<PolicyUse> before = context.getBean(BackoffMethods.class).uses();
				assertThatExceptionOfType(InvalidBackoffException.class)
					.isThrownBy(() -> context.getBean(LiveConfiguration.class).override("orders", values, null))
					.withMessageContaining(message);
				assertThat(context.getBean(BackoffMethods.class).uses().toString()).isEqualTo(before.toString());
				assertThat(context.getBean(BackoffPolicies.class).configuration().overrides().isEmpty()).isTrue();
			});
		}

		private void gives(Map<String, String> properties, Map<String, String> values, long... millis) {
			SwitchoverTests.this.centre.putAll(properties);
			SwitchoverTests.this.runner.run((context) -> {
				List<ValueChange> unused = context.getBean(LiveConfiguration.class).override("orders", values, null);
				assertThat(waits(context))
					.containsExactly(Arrays.stream(millis).mapToObj(Duration::ofMillis).toArray(Duration[]::new));
			});
		}

		@Test
		void withALadder() {
			Map<String, String> ladder = Map.of("backoff.policies.orders.shape", "ladder",
					"backoff.policies.orders.ladder", "1s, 5s, 9s");
			SwitchoverTests.this.centre.remove("backoff.policies.orders.base");
			SwitchoverTests.this.centre.remove("backoff.policies.orders.cap");
			gives(ladder, Map.of("max-attempts", "3"), 1000, 5000);
			gives(ladder, Map.of("cap", "4s"), 1000, 4000, 4000);
			gives(ladder, Map.of("enabled", "false"));
			refused(ladder, Map.of("base", "4s"), "base");
			refused(ladder, Map.of("multiplier", "3"), "multiplier");
		}

		@Test
		void withAPreset() {
			SwitchoverTests.this.centre.remove("backoff.policies.orders.base");
			SwitchoverTests.this.centre.remove("backoff.policies.orders.cap");
			Map<String, String> preset = Map.of("backoff.policies.orders.preset", "user-facing");
			gives(preset, Map.of("base", "3s", "deadline", "none"), 3000, 6000, 12000);
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
			SwitchoverTests.this.runner.run((context) -> {
				LiveConfiguration live = context.getBean(LiveConfiguration.class);
				assertThat(live.override("orders", Map.of("cap", "10s"), null)).extracting(ValueChange::toString)
					.contains("policy orders: throttled-base 20s (the property source centre) -> 10s "
							+ "(lowered to the cap)");
			});
		}

		@Test
		void withNamesInherited() {
			SwitchoverTests.this.centre.putAll(Map.of("backoff.policies.grand.cap", "3s", "backoff.policies.grand.base",
					"1s", "backoff.policies.orders.inherits", "grand"));
			SwitchoverTests.this.centre.remove("backoff.policies.orders.base");
			SwitchoverTests.this.centre.remove("backoff.policies.orders.cap");
			SwitchoverTests.this.runner.run((context) -> {
				LiveConfiguration live = context.getBean(LiveConfiguration.class);
				live.override("grand", Map.of("base", "2s"), null);
				assertThat(waits(context)).containsExactly(Duration.ofSeconds(2), Duration.ofSeconds(3),
						Duration.ofSeconds(3));
				live.override("orders", Map.of("base", "5s"), null);
				assertThat(waits(context)).containsExactly(Duration.ofSeconds(5), Duration.ofSeconds(10),
						Duration.ofSeconds(20));
				live.reset("grand");
				assertThat(waits(context)).startsWith(Duration.ofSeconds(5));
				live.reset("orders");
				assertThat(waits(context)).startsWith(Duration.ofSeconds(1));
			});
		}

	}

	@Nested
	class FromWithin {

		@Test
		void listenersMayChangeSomethingThemselves() {
			AtomicReference<LiveConfiguration> live = new AtomicReference<>();
			SwitchoverTests.this.runner.withBean("aa", ConfigurationListener.class, () -> (outcome, overrides) -> {
				if (outcome == Outcome.OVERRIDDEN && !overrides.values("orders").isEmpty()) {
					List<ValueChange> changes = live.get().reset("orders");
					assertThat(changes).isNotEmpty();
				}
			}).withBean("last", LastTold.class).run((context) -> {
				live.set(context.getBean(LiveConfiguration.class));
				live.get().override("orders", Map.of("base", "4s"), HALF_AN_HOUR);
				assertThat(base(context, "Shop.order")).isEqualTo("1s");
				assertThat(live.get().until("orders", PolicyKey.BASE)).isEmpty();
				AtomicReference<Overrides> last = context.getBean(LastTold.class).last;
				assertThat(last.get().isEmpty()).isTrue();
			});
		}

	}

	@Nested
	class AtOnce {

		@Test
		void changesAndCallsOfManyThreadsEndInOrder() {
			SwitchoverTests.this.runner.run((context) -> {
				LiveConfiguration live = context.getBean(LiveConfiguration.class);
				VirtualTime time = context.getBean(VirtualTime.class);
				Shop shop = context.getBean(Shop.class);
				List<Callable<?>> kinds = List.of(
						() -> live.override("orders", Map.of("base", "2s"), Duration.ofSeconds(3)),
						() -> live.override("orders", Map.of("base", "3s", "cap", "2h"), null),
						() -> live.override("mail", Map.of("enabled", "false"), Duration.ofSeconds(1)),
						() -> live.overrideRetriesEnabled(false, Duration.ofSeconds(2)), () -> live.reset("orders"),
						live::reset, () -> live.refresh("a test"), () -> live.preview("orders", Map.of("base", "9s")),
						() -> catchThrowable(shop::order), () -> catchThrowable(shop::mail), () -> {
							time.advance(Duration.ofSeconds(1));
							return time.runDue();
						}, () -> {
							live.operated("a test");
							return null;
						});
				ExecutorService threads = Executors.newFixedThreadPool(120);
				try {
					List<Future<?>> running = new ArrayList<>();
					CountDownLatch start = new CountDownLatch(1);
					for (int i = 0; i < 120; i++) {
						Callable<?> kind = kinds.get(i % kinds.size());
						running.add(threads.submit(() -> {
							start.await();
							for (int j = 0; j < 20; j++) {
								Object unused = kind.call();
							}
							return null;
						}));
					}
					start.countDown();
					for (Future<?> each : running) {
						assertThat(each.get(100, TimeUnit.SECONDS)).isNull();
					}
				}
				finally {
					threads.shutdownNow();
				}
				live.reset();
				assertThat(time.pending()).isZero();
				assertThat(base(context, "Shop.order")).isEqualTo("1s");
				assertThat(waits(context)).startsWith(Duration.ofSeconds(1));
				assertThat(overridden(context, "orders")).isZero();
				assertThat(overridden(context, "*")).isZero();
			});
		}

		@Test
		void anOverrideSetWhileTheOneBeforeEndsIsKept() {
			SwitchoverTests.this.runner.run((context) -> {
				LiveConfiguration live = context.getBean(LiveConfiguration.class);
				VirtualTime time = context.getBean(VirtualTime.class);
				ExecutorService threads = Executors.newFixedThreadPool(2);
				try {
					for (int i = 0; i < 200; i++) {
						live.override("orders", Map.of("base", "2s"), Duration.ofSeconds(1));
						CyclicBarrier both = new CyclicBarrier(2);
						Future<?> ends = threads.submit(() -> {
							both.await();
							time.advance(Duration.ofSeconds(1));
							return time.runDue();
						});
						Future<?> sets = threads.submit(() -> {
							both.await();
							return live.override("orders", Map.of("base", "7s"), null);
						});
						assertThat(ends.get(1, TimeUnit.MINUTES)).isNotNull();
						assertThat(sets.get(1, TimeUnit.MINUTES)).isNotNull();
						assertThat(base(context, "Shop.order")).isEqualTo("7s");
						assertThat(live.until("orders", PolicyKey.BASE)).isEmpty();
						live.reset();
					}
				}
				finally {
					threads.shutdownNow();
				}
			});
		}

		@Test
		void changesMeetTheEndOfTheApplicationWithoutWaiting() {
			AtomicInteger done = new AtomicInteger();
			AtomicReference<VirtualTime> time = new AtomicReference<>();
			ExecutorService threads = Executors.newFixedThreadPool(8);
			List<Future<?>> running = new ArrayList<>();
			SwitchoverTests.this.runner.run((context) -> {
				LiveConfiguration live = context.getBean(LiveConfiguration.class);
				time.set(context.getBean(VirtualTime.class));
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
			});
			try {
				for (Future<?> each : running) {
					assertThat(catchThrowable(() -> each.get(60, TimeUnit.SECONDS))).isNull();
				}
			}
			finally {
				threads.shutdownNow();
			}
			assertThat(done.get()).isEqualTo(1600);
			assertThat(time.get().pending()).isZero();
		}

		@Test
		void tenThousandOverridesLeaveNothing() {
			SwitchoverTests.this.runner.run((context) -> {
				LiveConfiguration live = context.getBean(LiveConfiguration.class);
				SimpleMeterRegistry registry = context.getBean(SimpleMeterRegistry.class);
				live.override("orders", Map.of("base", "1ms"), HALF_AN_HOUR);
				int meters = registry.getMeters().size();
				for (int i = 0; i < 2000; i++) {
					live.override("orders", Map.of("base", (i + 2) + "ms"), HALF_AN_HOUR);
				}
				assertThat(context.getBean(VirtualTime.class).pending()).isEqualTo(1);
				assertThat(registry.getMeters()).hasSize(meters);
				live.reset();
				assertThat(context.getBean(VirtualTime.class).pending()).isZero();
			});
		}

		@Test
		void lookingShowsNoHalfOfAChange() {
			SwitchoverTests.this.runner.run((context) -> {
				LiveConfiguration live = context.getBean(LiveConfiguration.class);
				ExecutorService thread = Executors.newSingleThreadExecutor();
				try {
					CountDownLatch over = new CountDownLatch(1);
					Future<?> changes = thread.submit(() -> {
						for (int i = 0; i < 300; i++) {
							Object unused = live.override("orders", Map.of("base", (i % 2 + 1) + "s"), null);
						}
						over.countDown();
					});
					while (over.getCount() > 0) {
						List<String> seen = live
							.look(() -> List.of(base(context, "Shop.order"), base(context, "Shop.again")));
						assertThat(seen.get(0)).isEqualTo(seen.get(1));
					}
					assertThat(catchThrowable(changes::get)).isNull();
				}
				finally {
					thread.shutdownNow();
				}
			});
		}

	}

	public static class Shop {

		@Backoff("orders")
		public void order() {
			throw new IllegalStateException("down");
		}

		@Backoff("orders")
		public void again() {
			throw new IllegalStateException("down");
		}

		@Backoff
		public void unnamed() {
			throw new IllegalStateException("down");
		}

		@Backoff("mail")
		public void mail() {
			throw new IllegalStateException("down");
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
		public Change prepare(BackoffPolicies.Candidate candidate, List<Problem> problems) {
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
