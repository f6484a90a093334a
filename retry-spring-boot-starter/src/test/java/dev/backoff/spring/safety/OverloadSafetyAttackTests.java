package dev.backoff.spring.safety;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;

import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.budget.RetryBudget;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.DegradedMode;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Budgets and breakers of applications that do unusual things. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OverloadSafetyAttackTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class));

	@Test
	void anObserverIsToldOfNoBudgetThatIsNotInUse() {
		HookedTime time = new HookedTime();
		this.runner.withBean(RetryTime.class, () -> time)
			.withPropertyValues("backoff.policies.orders.max-attempts=3")
			.run((context) -> {
				OverloadSafety safety = context.getBean(OverloadSafety.class);
				BackoffMethods methods = context.getBean(BackoffMethods.class);
				List<RetryBudget> told = new ArrayList<>();
				safety.observe(new Observer(told));
				// while one is made, somebody else is faster
				time.hook = () -> methods.retry("orders");
				methods.retry("orders");
				assertThat(safety.budgets().all()).hasSize(1);
				assertThat(told).containsExactlyElementsOf(safety.budgets().all());
			});
	}

	@Test
	void aListenerMayCallWhatItListensToWhileItIsMade() {
		this.runner.withBean(VirtualTime.class)
			.withPropertyValues("backoff.breakers.gateway.minimum-calls=2")
			.withBean(Gateway.class)
			.withBean(EarlyListener.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aClassifierMayCallWhatItClassifiesWhileItIsMade() {
		this.runner.withBean(VirtualTime.class)
			.withPropertyValues("backoff.breakers.gateway.minimum-calls=100")
			.withBean(Gateway.class)
			.withBean(EarlyClassifier.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(catchThrowable(context.getBean(Gateway.class)::failing)).isInstanceOf(IOException.class);
				EarlyClassifier classifier = context.getBean(EarlyClassifier.class);
				assertThat(classifier.early).isEqualTo("fine");
				assertThat(classifier.asked).hasValue(2);
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "Größe", "card payments", "日本", "a:b;c/d", "%s{}" })
	void namesMayBeOdd(String name) {
		this.runner.withBean(VirtualTime.class)
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("odd",
						Map.of("backoff.breakers[" + name + "].minimum-calls", "1",
								"backoff.budgets[" + name + "].tokens", "1", "odd", name))))
			.withBean(OddNames.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(OddNames.class).call()).isEqualTo("fine");
				assertThat(context.getBean(CircuitBreakers.class).names()).containsExactly(name);
			});
	}

	@Test
	void listenersThatAreMadeLateLockNobodyOut() throws Exception {
		CountDownLatch making = new CountDownLatch(1);
		CountDownLatch told = new CountDownLatch(1);
		this.runner.withBean(VirtualTime.class)
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
			this.told.await(2, TimeUnit.SECONDS);
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

	static class Gateway {

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

		private final Gateway gateway;

		EarlyListener(Gateway gateway) {
			this.gateway = gateway;
		}

		@Override
		public void afterPropertiesSet() {
			assertThat(this.gateway.fine()).isEqualTo("fine");
			assertThat(catchThrowable(this.gateway::failing)).isInstanceOf(IOException.class);
		}

	}

	/** Calls the gateway as soon as it can. */
	static class EarlyClassifier implements FailureClassifier, InitializingBean {

		private final AtomicInteger asked = new AtomicInteger();

		private final Gateway gateway;

		private String early;

		EarlyClassifier(Gateway gateway) {
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

	private record Observer(List<RetryBudget> told) implements OverloadSafety.Observer {

		@Override
		public void budgetMade(RetryBudget budget) {
			this.told.add(budget);
		}

		@Override
		public void breakerMade(CircuitBreaker breaker) {
		}

		@Override
		public void degradedMade(String policy, DegradedMode mode) {
		}

	}

}
