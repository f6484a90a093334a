package dev.backoff.spring.safety;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.budget.RetryBudget;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.key.KeyTable;
import dev.backoff.pace.Pace;
import dev.backoff.spring.advice.AdvisedApplication;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Budgets and breakers of an application, from its configuration. */
class OverloadSafetyTests extends AdvisedApplication {

	private final Partner partner = new Partner();

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class));

	OverloadSafetyTests() {
		properties("backoff.defaults.jitter=none", "backoff.budgets.gateway.per-success=0.1");
		this.context.registerBean(Gateway.class, () -> new Gateway(this.partner));
	}

	private static StopReason reason(Throwable failure) {
		RetriesStoppedException report = RetriesStoppedException.of(failure);
		assertThat(report).isNotNull();
		return report.reason();
	}

	private static void fail(ThrowingCallable call) {
		assertThat(catchThrowable(call)).isNotNull();
	}

	@Nested
	class Budgets {

		@Test
		void areOnByDefaultUnderThePolicysName() {
			start();
			Gateway gateway = context.getBean(Gateway.class);
			for (int i = 0; i < 16; i++) {
				assertThat(reason(catchThrowable(gateway::pay))).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			}
			// 48 retries so far, in 11.2 s: 50 tokens and 1.1 more, less 48
			assertThat(partner.calls).isEqualTo(64);
			assertThat(context.getBean(RetryBudgets.class).get("Gateway.pay").balance()).isBetween(3.0, 3.2);
			assertThat(reason(catchThrowable(gateway::pay))).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			assertThat(reason(catchThrowable(gateway::pay))).isEqualTo(StopReason.BUDGET);
			assertThat(context.getBean(RetryBudgets.class).all()).extracting(RetryBudget::name)
				.contains("Gateway.pay", "gateway");
		}

		@Test
		void areSharedByAllWhoNameThem() {
			properties("backoff.budgets.gateway.tokens=4", "backoff.budgets.gateway.per-second=0");
			start();
			Gateway gateway = context.getBean(Gateway.class);
			assertThat(reason(catchThrowable(gateway::refund))).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			assertThat(reason(catchThrowable(gateway::inquire))).isEqualTo(StopReason.BUDGET);
			assertThat(partner.calls).isEqualTo(6);
			assertThat(context.getBean(RetryBudgets.class).get("GATE_WAY").refused()).isEqualTo(1);
		}

		@Test
		void areOffOnlyByName() {
			properties("backoff.policies[Gateway.pay].budget=none");
			start();
			Gateway gateway = context.getBean(Gateway.class);
			for (int i = 0; i < 100; i++) {
				assertThat(reason(catchThrowable(gateway::pay))).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			}
			assertThat(partner.calls).isEqualTo(400);
			assertThat(context.getBean(RetryBudgets.class).find("Gateway.pay")).isEmpty();
		}

		@Test
		void postponeTheRetriesOfJobs() throws Exception {
			properties("backoff.policies[Gateway.pay].preset=background", "backoff.budgets[Gateway.pay].tokens=1",
					"backoff.budgets[Gateway.pay].per-second=0.05");
			start();
			Gateway gateway = context.getBean(Gateway.class);
			partner.failures = 3;
			assertThat(gateway.pay()).isEqualTo("paid");
			assertThat(partner.calls).isEqualTo(4);
		}

		@Test
		void areUnknownUntilSomebodyUsesThem() {
			start();
			assertThatIllegalArgumentException().isThrownBy(() -> context.getBean(RetryBudgets.class).get("nobody"))
				.withMessageStartingWith("Invalid name (nobody): must be one of ");
		}

	}

	@Nested
	class Breakers {

		private void guard() {
			properties("backoff.breakers.gateway.minimum-calls=6", "backoff.breakers.gateway.open-for=30s",
					"backoff.policies.defensive.breaker=gateway");
		}

		@Test
		void openForAllWhoNameThem() throws Exception {
			guard();
			start();
			Gateway gateway = context.getBean(Gateway.class);
			CircuitBreaker breaker = context.getBean(CircuitBreakers.class).get("gateway");
			assertThat(reason(catchThrowable(gateway::ship))).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			Throwable second = catchThrowable(gateway::ship);
			assertThat(second).isInstanceOf(IOException.class);
			assertThat(reason(second)).isEqualTo(StopReason.BREAKER_OPEN);
			assertThat(partner.calls).isEqualTo(6);
			assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
			Throwable third = catchThrowable(gateway::ship);
			assertThat(third).isInstanceOf(CircuitOpenException.class);
			assertThat(reason(third)).isEqualTo(StopReason.BREAKER_OPEN);
			assertThat(partner.calls).isEqualTo(6);
			assertThat(breaker.rejected()).isEqualTo(1);
			// the probes, when its time has come
			time.advance(Duration.ofSeconds(31));
			partner.failures = 0;
			for (int i = 0; i < 3; i++) {
				assertThat(gateway.ship()).isEqualTo("shipped");
			}
			assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
		}

		@Test
		void areUsedByHandWithTheSameRules() {
			guard();
			start();
			CircuitBreaker breaker = context.getBean(CircuitBreakers.class).get("gateway");
			for (int i = 0; i < 20; i++) {
				assertThatIllegalArgumentException().isThrownBy(() -> breaker.call(() -> {
					throw new IllegalArgumentException("an answer");
				}));
			}
			assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
			for (int i = 0; i < 20; i++) {
				assertThatThrownBy(() -> breaker.call(() -> {
					throw new IOException("down");
				})).isInstanceOf(IOException.class);
			}
			assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
			assertThatThrownBy(() -> breaker.call(() -> "never")).isInstanceOf(CircuitOpenException.class);
			Throwable refused = catchThrowable(() -> context.getBean(Gateway.class).ship());
			assertThat(reason(refused)).isEqualTo(StopReason.BREAKER_OPEN);
			assertThat(partner.calls).isZero();
		}

		@Test
		void areOffUnlessConfigured() {
			properties("backoff.policies.defensive.base=100ms");
			start();
			assertThat(context.getBean(CircuitBreakers.class).all()).isEmpty();
			Gateway gateway = context.getBean(Gateway.class);
			for (int i = 0; i < 10; i++) {
				fail(gateway::ship);
			}
			assertThat(catchThrowable(gateway::ship)).isInstanceOf(IOException.class);
		}

		@Test
		void tellTheListenersAmongTheBeans() {
			List<String> told = new ArrayList<>();
			guard();
			start((beans) -> {
				beans.registerBean("broken", CircuitBreaker.Listener.class, () -> new CircuitBreaker.Listener() {

					@Override
					public void transition(CircuitBreaker breaker, BreakerState from, BreakerState to) {
						throw new IllegalStateException("listener");
					}

				});
				beans.registerBean("sound", CircuitBreaker.Listener.class, () -> new CircuitBreaker.Listener() {

					@Override
					public void transition(CircuitBreaker breaker, BreakerState from, BreakerState to) {
						told.add(breaker.name() + " " + from.tag() + " " + to.tag());
					}

				});
			});
			fail(context.getBean(Gateway.class)::ship);
			fail(context.getBean(Gateway.class)::ship);
			assertThat(told).containsExactly("gateway closed open");
		}

		@Test
		void stayWhereRetriesAreSwitchedOff() {
			guard();
			properties("backoff.retries-enabled=false");
			start();
			Gateway gateway = context.getBean(Gateway.class);
			for (int i = 0; i < 6; i++) {
				fail(gateway::ship);
			}
			assertThat(partner.calls).isEqualTo(6);
			assertThat(catchThrowable(gateway::ship)).isInstanceOf(CircuitOpenException.class);
		}

	}

	@Test
	void programmaticallyShareWithTheMethodsOfTheirPolicy() {
		properties("backoff.policies.defensive.base=100ms", "backoff.budgets.defensive.tokens=3",
				"backoff.budgets.defensive.per-second=0");
		start();
		fail(context.getBean(Gateway.class)::ship);
		Throwable failure = catchThrowable(() -> context.getBean(BackoffMethods.class).retry("defensive").call(() -> {
			throw new IOException("attempt " + Attempt.current().number());
		}));
		assertThat(failure).hasMessage("attempt 1");
		assertThat(reason(failure)).isEqualTo(StopReason.BUDGET);
	}

	@Nested
	@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	class WhileBeansAreCreated {

		@Test
		void areReportedOnceToObserversIfTwoThreadsCreateThem() {
			HookedTime time = new HookedTime();
			bare.withBean(RetryTime.class, () -> time)
				.withPropertyValues("backoff.policies.orders.max-attempts=3")
				.run((context) -> {
					OverloadSafety safety = context.getBean(OverloadSafety.class);
					BackoffMethods methods = context.getBean(BackoffMethods.class);
					List<RetryBudget> told = new ArrayList<>();
					safety.observe(new BudgetObserver(told));
					// another thread creates the same budget first
					time.hook = () -> methods.retry("orders");
					methods.retry("orders");
					assertThat(safety.budgets().all()).hasSize(1);
					assertThat(told).containsExactlyElementsOf(safety.budgets().all());
				});
		}

		@Test
		void acceptCallsOfListenersThatAreBeingCreated() {
			bare.withBean(VirtualTime.class)
				.withPropertyValues("backoff.breakers.gateway.minimum-calls=2")
				.withBean(EarlyGateway.class)
				.withBean(EarlyListener.class)
				.run((context) -> assertThat(context).hasNotFailed());
		}

		@Test
		void acceptCallsOfClassifiersThatAreBeingCreated() {
			bare.withBean(VirtualTime.class)
				.withPropertyValues("backoff.breakers.gateway.minimum-calls=100")
				.withBean(EarlyGateway.class)
				.withBean(EarlyClassifier.class)
				.run((context) -> {
					assertThat(context).hasNotFailed();
					assertThat(catchThrowable(context.getBean(EarlyGateway.class)::failing))
						.isInstanceOf(IOException.class);
					EarlyClassifier classifier = context.getBean(EarlyClassifier.class);
					assertThat(classifier.early).isEqualTo("fine");
					assertThat(classifier.asked).hasValue(2);
				});
		}

		@ParameterizedTest
		@ValueSource(strings = { "Größe", "card payments", "日本", "a:b;c/d", "%s{}" })
		void acceptUnusualNames(String name) {
			bare.withBean(VirtualTime.class)
				.withInitializer((context) -> context.getEnvironment()
					.getPropertySources()
					.addFirst(new MapPropertySource("odd",
							Map.of("backoff.breakers[" + name + "].minimum-calls", "1",
									"backoff.budgets[" + name + "].tokens", "1", "odd", name))))
				.withBean(OddNames.class)
				.run((context) -> {
					assertThat(context).hasNotFailed();
					assertThat(context.getBean(OddNames.class).call()).isEqualTo("fine");
					assertThat(context.getBean(CircuitBreakers.class).all()).extracting(CircuitBreaker::name)
						.containsExactly(name);
				});
		}

		@Test
		void doNotDeadlockWithListenersThatAreCreatedLate() throws Exception {
			CountDownLatch making = new CountDownLatch(1);
			CountDownLatch told = new CountDownLatch(1);
			bare.withBean(VirtualTime.class)
				.withPropertyValues("backoff.breakers.gateway.minimum-calls=1")
				.withInitializer((context) -> context.addBeanFactoryPostProcessor((factory) -> {
					for (String name : factory.getBeanDefinitionNames()) {
						if (name.equals("slow") || name.equals("listener")) {
							factory.getBeanDefinition(name).setLazyInit(true);
						}
					}
				}))
				.withBean("listener", CountingListener.class)
				.withBean("slow", SlowBean.class, () -> new SlowBean(making, told))
				.run((context) -> {
					assertThat(context).hasNotFailed();
					CircuitBreaker breaker = context.getBean(CircuitBreakers.class).get("gateway");
					AtomicReference<Throwable> failure = new AtomicReference<>();
					Thread maker = new Thread(() -> {
						SlowBean.breaker = breaker;
						failure.set(catchThrowable(() -> context.getBean("slow")));
					});
					maker.setDaemon(true);
					maker.start();
					assertThat(making.await(30, TimeUnit.SECONDS)).isTrue();
					Thread teller = new Thread(() -> {
						breaker.open();
						told.countDown();
					});
					teller.setDaemon(true);
					teller.start();
					maker.join(60_000);
					assertThat(maker.isAlive()).as("maker hangs").isFalse();
					teller.join(60_000);
					assertThat(teller.isAlive()).as("teller hangs").isFalse();
					assertThat(failure.get()).isNull();
				});
		}

	}

	/** Fails as often as it is told to. */
	static class Partner {

		int failures = Integer.MAX_VALUE;

		int calls;

		String answer(String answer) throws IOException {
			this.calls++;
			if (this.failures > 0) {
				this.failures--;
				throw new IOException("down");
			}
			return answer;
		}

	}

	static class Gateway {

		private final Partner partner;

		Gateway(Partner partner) {
			this.partner = partner;
		}

		@Backoff
		String pay() throws IOException {
			return this.partner.answer("paid");
		}

		@Backoff(budget = "gateway", maxAttempts = "4")
		String refund() throws IOException {
			return this.partner.answer("refunded");
		}

		@Backoff(budget = "gateway", maxAttempts = "4")
		String inquire() throws IOException {
			return this.partner.answer("found");
		}

		@Backoff(value = "defensive", maxAttempts = "4")
		String ship() throws IOException {
			return this.partner.answer("shipped");
		}

	}

	static class SlowBean implements InitializingBean {

		static CircuitBreaker breaker;

		private final CountDownLatch making;

		private final CountDownLatch told;

		SlowBean(CountDownLatch making, CountDownLatch told) {
			this.making = making;
			this.told = told;
		}

		@Override
		public void afterPropertiesSet() throws Exception {
			this.making.countDown();
			this.told.await(500, TimeUnit.MILLISECONDS);
			breaker.forceOpen();
		}

	}

	static class CountingListener implements CircuitBreaker.Listener {

		final AtomicInteger told = new AtomicInteger();

		@Override
		public void transition(CircuitBreaker breaker, BreakerState from, BreakerState to) {
			this.told.incrementAndGet();
		}

	}

	static class EarlyGateway {

		@Backoff(breaker = "gateway")
		public String fine() {
			return "fine";
		}

		@Backoff(breaker = "gateway", maxAttempts = "2")
		public String failing() throws IOException {
			throw new IOException("down");
		}

	}

	static class OddNames {

		@Backoff(breaker = "${odd}", budget = "${odd}")
		public String call() {
			return "fine";
		}

	}

	/** Calls the gateway as soon as it can. */
	static class EarlyListener implements CircuitBreaker.Listener, RetryBudget.Listener, InitializingBean {

		private final EarlyGateway gateway;

		EarlyListener(EarlyGateway gateway) {
			this.gateway = gateway;
		}

		@Override
		public void afterPropertiesSet() {
			assertThat(this.gateway.fine()).isEqualTo("fine");
			assertThat(catchThrowable(this.gateway::failing)).isInstanceOf(IOException.class);
		}

		@Override
		public void transition(CircuitBreaker breaker, BreakerState from, BreakerState to) {
		}

	}

	/** Calls the gateway as soon as it can. */
	static class EarlyClassifier implements FailureClassifier, InitializingBean {

		private final AtomicInteger asked = new AtomicInteger();

		private final EarlyGateway gateway;

		private String early;

		EarlyClassifier(EarlyGateway gateway) {
			this.gateway = gateway;
		}

		@Override
		public void afterPropertiesSet() {
			this.early = this.gateway.fine();
		}

		@Override
		public FailureClassification classify(Throwable failure) {
			this.asked.incrementAndGet();
			return null;
		}

	}

	/** Does something once, when it is read. */
	private static final class HookedTime implements RetryTime {

		private Runnable hook;

		@Override
		public long nanoTime() {
			Runnable once = this.hook;
			this.hook = null;
			if (once != null) {
				once.run();
			}
			return 1;
		}

		@Override
		public void sleep(long nanos) {
		}

	}

	private record BudgetObserver(List<RetryBudget> told) implements OverloadSafety.Observer {

		@Override
		public void budgetMade(RetryBudget budget) {
			this.told.add(budget);
		}

		@Override
		public void breakerMade(CircuitBreaker breaker) {
		}

		@Override
		public void limitMade(String policy, ConcurrencyLimit limit) {
		}

		@Override
		public void paceMade(Pace pace, LongAdder holds) {
		}

		@Override
		public void keysMade(String kind, String name, KeyTable<?> keys) {
		}

	}

}
