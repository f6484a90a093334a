package dev.backoff.spring.live;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import ch.qos.logback.classic.Level;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.core.env.EnumerablePropertySource;

import dev.backoff.Retry;
import dev.backoff.annotation.Backoff;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.observation.LogCapture;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.ConfigurationUser;
import dev.backoff.spring.policy.PolicyResolver;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Refreshes while much else happens. */
class RefreshUnderWayTests extends LiveApplication {

	RefreshUnderWayTests() {
		this.centre.putAll(Map.of("backoff.defaults.jitter", "none", "backoff.defaults.budget", "none",
				"backoff.policies.orders.base", "1s", "backoff.policies.mail.base", "1s"));
	}

	private int maxAttempts() {
		return this.context.getBean(BackoffMethods.class).retry("orders").policy().maxAttempts();
	}

	private void startWithALateCaller() {
		this.centre.remove("backoff.policies.mail.base");
		start((beans) -> {
			beans.registerBean("late", LateCaller.class, LateCaller::new);
			beans.registerBean("hidden", Object.class, Hidden::new);
		});
	}

	@Nested
	class ManyThreads {

		@Test
		void neverGetAMixtureOfTwoConfigurations() throws Exception {
			Waits waits = new Waits();
			centre.putAll(generation(1));
			start((beans) -> {
				beans.registerBean(Shop.class);
				beans.registerBean(RetryTime.class, () -> waits, (definition) -> definition.setPrimary(true));
			});
			Set<List<Long>> wanted = Set.of(List.of(1L, 1L), List.of(5L, 5L, 5L, 5L));
			ConcurrentLinkedQueue<List<Long>> seen = new ConcurrentLinkedQueue<>();
			ConcurrentLinkedQueue<Throwable> wrong = new ConcurrentLinkedQueue<>();
			AtomicBoolean done = new AtomicBoolean();
			Shop shop = context.getBean(Shop.class);
			Retry kept = context.getBean(BackoffMethods.class).retry("orders");
			ExecutorService threads = Executors.newFixedThreadPool(4);
			try {
				List<Future<?>> callers = new ArrayList<>();
				for (int i = 0; i < 4; i++) {
					boolean byHand = i == 3;
					callers.add(threads.submit(() -> {
						while (!done.get()) {
							Throwable failure = catchThrowable(() -> {
								if (byHand) {
									kept.call(() -> {
										throw new IllegalStateException("down");
									});
								}
								else {
									shop.order();
								}
							});
							if (!(failure instanceof IllegalStateException)) {
								wrong.add(failure);
							}
							seen.add(waits.take());
						}
					}));
				}
				for (int i = 0; i < 300 || !seen.containsAll(wanted); i++) {
					centre.putAll(generation(1 + i % 2));
					assertThat(refresh()).isTrue();
				}
				done.set(true);
				for (Future<?> caller : callers) {
					caller.get(30, TimeUnit.SECONDS);
				}
			}
			finally {
				done.set(true);
				threads.shutdownNow();
			}
			assertThat(wrong).isEmpty();
			assertThat(Set.copyOf(seen)).isEqualTo(wanted);
		}

		/* A factor of one: all waits of a call are its base, which is its cap too. */
		private Map<String, String> generation(int number) {
			return Map.of("backoff.defaults.multiplier", "1", "backoff.policies.orders.base",
					(number == 1) ? "1s" : "5s", "backoff.policies.orders.cap", (number == 1) ? "1s" : "5s",
					"backoff.policies.orders.max-attempts", (number == 1) ? "3" : "5");
		}

	}

	@Nested
	class Latecomers {

		@Test
		void goByTheNewConfiguration() {
			startWithALateCaller();
			context.getBean(LateCaller.class).whenPrepared = () -> {
				assertThat(maxAttempts()).isEqualTo(4);
				assertThat(catchThrowable(() -> context.getBean(Named.class).call())).isNotNull();
			};
			centre.put("backoff.policies.orders.max-attempts", "2");
			centre.put("backoff.defaults.max-attempts", "3");
			assertThat(refresh()).isTrue();
			assertThat(maxAttempts()).isEqualTo(2);
			assertThat(waits(Named.class, Named::call)).hasSize(2);
		}

		@Test
		void keepTheirValuesIfTheNewConfigurationDoesNotFitThem() {
			startWithALateCaller();
			context.getBean(LateCaller.class).whenPrepared = () -> assertThat(
					catchThrowable(() -> context.getBean(Named.class).call()))
				.hasMessage("down");
			centre.put("backoff.defaults.deadline", "50ms");
			centre.put("backoff.policies.orders.deadline", "none");
			try (LogCapture log = new LogCapture(BackoffMethods.class)) {
				assertThat(refresh()).isTrue();
				assertThat(log.lines(Level.WARN)).singleElement()
					.asString()
					.startsWith("Hidden.call does not fit the refreshed configuration and keeps its values: ")
					.contains("leaves no room for a retry");
			}
			assertThat(catchThrowable(() -> context.getBean(Named.class).call())).hasMessage("down");
		}

		@Test
		void areNoChangesThemselves() {
			startWithALateCaller();
			context.getBean(LateCaller.class).whenPrepared = () -> assertThat(
					catchThrowable(() -> context.getBean(Named.class).call()))
				.hasMessage("down");
			assertThat(refresh()).isTrue();
			assertThat(changes("applied")).isZero();
		}

	}

	@Nested
	class Troubles {

		@Test
		void ofAPropertySourceChangeNothing() {
			Moody moody = new Moody();
			context.getEnvironment().getPropertySources().addLast(moody);
			start();
			centre.put("backoff.policies.orders.max-attempts", "2");
			moody.failing = true;
			try (LogCapture log = new LogCapture(LiveConfiguration.class)) {
				assertThat(refresh()).isFalse();
				assertThat(log.lines(Level.ERROR)).singleElement()
					.isEqualTo("Could not refresh by a test; what was in effect stays so");
			}
			assertThat(changes("refused")).isEqualTo(1);
			assertThat(maxAttempts()).isEqualTo(4);
			moody.failing = false;
			assertThat(refresh()).isTrue();
			assertThat(maxAttempts()).isEqualTo(2);
		}

		@Test
		void ofListenersAndUsersDoNotPassForARefusal() {
			start((beans) -> {
				beans.registerBean(Shop.class);
				beans.registerBean(LateCaller.class);
				beans.registerBean(ConfigurationListener.class, () -> (outcome, overrides) -> {
					throw new IllegalStateException("no listener");
				});
			});
			context.getBean(LateCaller.class).whenCommitted = () -> {
				throw new IllegalStateException("no user");
			};
			centre.put("backoff.policies.orders.max-attempts", "2");
			assertThat(refresh()).isTrue();
			assertThat(maxAttempts()).isEqualTo(2);
			assertThat(changes("applied")).isEqualTo(1);
			assertThat(changes("refused")).isZero();
		}

		@Test
		void ofListenersThatCannotBeMadeDoNotEither() {
			start((beans) -> {
				beans.registerBean(Shop.class);
				beans.registerBean(ConfigurationListener.class, () -> {
					throw new IllegalStateException("cannot be made");
				}, (definition) -> definition.setLazyInit(true));
			});
			centre.put("backoff.policies.orders.max-attempts", "2");
			assertThat(refresh()).isTrue();
			assertThat(maxAttempts()).isEqualTo(2);
		}

	}

	@Nested
	class AfterARefusal {

		@Test
		void placeholdersAreAsBeforeForOverridesToo() {
			centre.put("longest", "4s");
			start(Hidden.class);
			centre.put("longest", "5s");
			centre.put("backoff.policies.orders.base", "nonsense");
			assertThat(refresh()).isFalse();
			List<?> unused = live.override("Hidden.call", Map.of("base", "2s"), null);
			assertThat(value("Hidden.call", PolicyKey.CAP).value()).isEqualTo("4s");
			centre.put("backoff.policies.orders.base", "1s");
			assertThat(refresh()).isTrue();
			assertThat(value("Hidden.call", PolicyKey.CAP).value()).isEqualTo("5s");
		}

		@Test
		void operatorsCanStillOverrideAndReset() {
			centre.put("longest", "4s");
			start(Hidden.class);
			centre.put("longest", "nonsense");
			assertThat(refresh()).isFalse();
			assertThat(live.overrideRetriesEnabled(false, null)).hasSize(1);
			assertThat(live.override("orders", Map.of("base", "2s"), null)).extracting(ValueChange::key)
				.containsExactly("base", "cap");
			assertThat(live.reset()).hasSize(3);
			assertThat(value("Hidden.call", PolicyKey.CAP).value()).isEqualTo("4s");
		}

	}

	@Nested
	class WhereverItIsAskedFor {

		@Test
		void worksOnAnotherThreadWhileABeanIsCreated() {
			start((beans) -> {
				beans.registerBean(Shop.class);
				beans.registerBean(Refresher.class, () -> new Refresher(centre),
						(definition) -> definition.setLazyInit(true));
			});
			assertThat(maxAttempts()).isEqualTo(4);
			assertThat(context.getBean(Refresher.class).refreshed).isTrue();
			assertThat(maxAttempts()).isEqualTo(2);
		}

		@Test
		void worksOnAnotherThreadWhileTheApplicationStarts() {
			start((beans) -> {
				beans.registerBean(Refresher.class, () -> new Refresher(centre));
				beans.registerBean(Shop.class);
			});
			assertThat(context.getBean(Refresher.class).refreshed).isTrue();
			assertThat(catchThrowable(() -> context.getBean(Shop.class).order())).hasMessage("down");
			assertThat(time.delays()).hasSize(1);
		}

	}

	@Nested
	class Afterwards {

		@Test
		void nothingOfTheConfigurationBeforeIsKept() {
			start();
			BackoffMethods methods = context.getBean(BackoffMethods.class);
			List<WeakReference<?>> before = new ArrayList<>();
			for (int i = 0; i < 50; i++) {
				centre.put("backoff.policies.orders.max-attempts", Integer.toString(5 + i));
				centre.put("backoff.policies.orders.cap", (120 + i) + "s");
				assertThat(refresh()).isTrue();
				before.add(new WeakReference<>(methods.retry("orders").policy()));
				before.add(new WeakReference<>(context.getBean(BackoffPolicies.class).configuration()));
			}
			centre.put("backoff.policies.orders.max-attempts", "2");
			assertThat(refresh()).isTrue();
			Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
				System.gc();
				assertThat(before).allMatch((reference) -> reference.refersTo(null));
			});
		}

		@Test
		void noMeterIsAdded() {
			centre.put("backoff.policies.orders.cap", "119s");
			start();
			int meters = registry.getMeters().size();
			for (int i = 0; i < 50; i++) {
				centre.put("backoff.policies.orders.cap", (120 + i) + "s");
				assertThat(refresh()).isTrue();
			}
			assertThat(changes("applied")).isEqualTo(50);
			assertThat(registry.getMeters()).hasSize(meters);
		}

		@Test
		void nothingWaitsForTheEndOfAnOverrideWhenTheApplicationIsClosed() {
			start();
			for (int i = 1; i <= 50; i++) {
				List<?> unused = live.override("orders", Map.of("base", i + "s"), Duration.ofMinutes(30));
			}
			assertThat(time.pending()).isEqualTo(1);
			context.close();
			assertThat(time.pending()).isZero();
		}

	}

	@Test
	void afterTheEndIsSilentAndChangesNothing() {
		Moody moody = new Moody();
		context.getEnvironment().getPropertySources().addLast(moody);
		start();
		BackoffPolicies policies = context.getBean(BackoffPolicies.class);
		BackoffConfiguration before = policies.configuration();
		context.close();
		try (LogCapture log = new LogCapture(LiveConfiguration.class)) {
			assertThat(refresh()).isFalse();
			moody.failing = true;
			assertThat(refresh()).isFalse();
			assertThat(log.events()).isEmpty();
		}
		assertThat(policies.configuration()).isSameAs(before);
	}

	@Test
	void oneOfTwoMethodsIsEnoughToBeAChange() {
		centre.remove("backoff.policies.mail.base");
		start((beans) -> {
			beans.registerBean(Two.class);
		});
		centre.put("backoff.defaults.max-attempts", "3");
		try (LogCapture log = new LogCapture(LiveConfiguration.class)) {
			assertThat(refresh()).isTrue();
			assertThat(log.lines(Level.INFO)).singleElement()
				.asString()
				.startsWith("Refreshed by a test: policy orders: max-attempts 4 (built in) -> 3 (");
		}
		assertThat(changes("applied")).isEqualTo(1);
	}

	public static class Two {

		@Backoff(value = "orders", maxAttempts = "6")
		public void first() {
		}

		@Backoff("orders")
		public void second() {
		}

	}

	public interface Named {

		void call();

	}

	/** Defined as an object, so that nobody knows its methods before they are called. */
	public static class Hidden implements Named {

		@Override
		@Backoff(cap = "${longest:10s}")
		public void call() {
			throw new IllegalStateException("down");
		}

	}

	/** Comes in while a change is made. */
	static class LateCaller implements ConfigurationUser {

		private Runnable whenPrepared = () -> {
		};

		private Runnable whenCommitted = () -> {
		};

		@Override
		public Change prepare(PolicyResolver candidate, List<Problem> problems) {
			return () -> {
				this.whenPrepared.run();
				return this.whenCommitted;
			};
		}

	}

	/** Lets another thread refresh, and waits for it, while it is created itself. */
	static class Refresher implements ApplicationContextAware {

		private final Map<String, Object> centre;

		private boolean refreshed;

		Refresher(Map<String, Object> centre) {
			this.centre = centre;
		}

		@Override
		public void setApplicationContext(ApplicationContext context) {
			this.centre.put("backoff.policies.orders.max-attempts", "2");
			this.refreshed = CompletableFuture
				.supplyAsync(() -> context.getBean(LiveConfiguration.class).refresh("a test"))
				.orTimeout(30, TimeUnit.SECONDS)
				.join();
		}

	}

	/** A source that may fail. */
	private static final class Moody extends EnumerablePropertySource<String> {

		private boolean failing;

		Moody() {
			super("moody", "source");
		}

		@Override
		public String[] getPropertyNames() {
			if (this.failing) {
				throw new IllegalStateException("the centre is down");
			}
			return new String[0];
		}

		@Override
		public Object getProperty(String name) {
			return null;
		}

	}

	/** Writes down the waits of a thread, in seconds. */
	private static final class Waits implements RetryTime {

		private final ThreadLocal<List<Long>> waits = ThreadLocal.withInitial(ArrayList::new);

		List<Long> take() {
			List<Long> taken = this.waits.get();
			this.waits.remove();
			return taken;
		}

		@Override
		public long nanoTime() {
			return 0;
		}

		@Override
		public void sleep(long nanos) {
			this.waits.get().add(Duration.ofNanos(nanos).toSeconds());
		}

		@Override
		public Cancellable schedule(Runnable task, long nanos) {
			return () -> {
			};
		}

	}

}
