package dev.backoff.spring.safety;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;

import dev.backoff.DegradedMode;
import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.budget.RetryBudget;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Budgets and breakers of applications that do unusual things. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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
