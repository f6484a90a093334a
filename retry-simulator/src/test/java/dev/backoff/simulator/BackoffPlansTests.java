package dev.backoff.simulator;

import java.io.IOException;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.actuate.EndpointContributor;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The bean for tests and the parts of the endpoint, with annotations. */
class BackoffPlansTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
				SimulatorAutoConfiguration.class))
		.withBean(Payments.class)
		.withPropertyValues("backoff.policies.payment-callback.jitter=none",
				"backoff.budgets.payment-callback.tokens=1");

	@Test
	void aTestSeesAnnotationsAndConfiguration() {
		this.runner.run((context) -> {
			BackoffPlans plans = context.getBean(BackoffPlans.class);
			assertThat(plans.plan("payment-callback").totalWait(0.5)).hasMillis(3_000);
			assertThat(plans.plan("Payments.send").totalWait(0.5)).hasMillis(3_000);
			assertThat(plans.storm("payment-callback", Scenario.stall("3s").callers(20).rate(5)).findings()).isEmpty();
			assertThatThrownBy(() -> plans.plan("unknown")).isInstanceOf(InvalidBackoffException.class)
				.hasMessageStartingWith("Policy unknown: names a policy that is not defined");
		});
	}

	@Test
	void everyFailureIsWorthARetryWhateverTheListsSay() {
		this.runner
			.withPropertyValues("backoff.policies.payment-callback.retry-on=java.sql.SQLTransientException",
					"backoff.budgets.payment-callback.tokens=1000")
			.run((context) -> {
				Scenario throttled = Scenario.stall("1s").with("fault", "throttle 5s").with("capacity", "1000");
				assertThat(
						context.getBean(BackoffPlans.class).storm("payment-callback", throttled).configured().failed())
					.isZero();
			});
	}

	@Test
	void theEndpointHasThePlanWithOtherValues() {
		this.runner.run((context) -> {
			assertThat(read(context.getBean(PlanPart.class), context.getBean(BackoffMethods.class), Map.of()))
				.containsEntry("policy", "payment-callback")
				.extracting("totalWaitMs")
				.hasToString("{1 %=3000, 50 %=3000, 90 %=3000, 99 %=3000, most=3000}");
			assertThat(
					read(context.getBean(PlanPart.class), context.getBean(BackoffMethods.class), Map.of("cap", "1s")))
				.extracting("totalWaitMs")
				.hasToString("{1 %=2000, 50 %=2000, 90 %=2000, 99 %=2000, most=2000}");
		});
	}

	@Test
	void theEndpointHasStorms() {
		this.runner.run((context) -> {
			StormPart part = context.getBean(StormPart.class);
			BackoffMethods methods = context.getBean(BackoffMethods.class);
			assertThat(read(part, methods, Map.of("callers", "20", "fault", "outage 5s", "max-attempts", "2")))
				.extracting("scenario")
				.hasToString(
						"{callers=20, rate=10, capacity=250, latency=20ms, timeout=1s, fault=outage 5s, horizon=2m, "
								+ "seeds=1}");
			assertThatThrownBy(() -> read(part, methods, Map.of("callers", "many")))
				.hasMessageStartingWith("Invalid callers (many): must be a whole number");
			assertThatThrownBy(() -> read(part, methods, Map.of("rate", "10000")))
				.hasMessageStartingWith("Invalid rate (10000): may lead to");
			assertThatThrownBy(() -> read(part, methods, Map.of("calers", "1")))
				.hasMessage("Invalid parameter (calers): is not known. Write callers.");
			assertThatThrownBy(() -> read(part, methods, Map.of("clients", "1")))
				.hasMessageContaining("Write one of callers, rate, capacity, ");
			assertThatThrownBy(() -> read(part, methods, Map.of("maxAtempts", "1"))).hasMessageStartingWith(
					"Invalid key (maxAtempts) of policy payment-callback: is not known. Write max-");
		});
	}

	@Test
	void aStormAtTheEndpointSaysWhatItLeavesOut() {
		this.runner.run((context) -> {
			StormPart part = context.getBean(StormPart.class);
			BackoffMethods methods = context.getBean(BackoffMethods.class);
			Map<String, String> small = Map.of("callers", "20", "rate", "1", "fault", "outage 5s");
			assertThat(read(part, methods, small)).containsKeys("unprotected", "fleets").doesNotContainKey("leftOut");
			Map<String, String> large = Map.of("callers", "200", "rate", "4", "fault", "outage 60s", "seeds", "100",
					"horizon", "3m");
			assertThat(read(part, methods, large)).doesNotContainKey("unprotected")
				.containsEntry("fleets", Map.of())
				.extracting("leftOut")
				.hasToString("[fleets, unprotected]");
			assertThat(context.getBean(BackoffPlans.class)
				.storm("payment-callback", Scenario.of(Map.of("callers", "20", "fault", "outage 5s")))
				.unprotected()).isNotNull();
		});
	}

	@Test
	void oneStormAtATime() {
		this.runner.run((context) -> {
			BackoffMethods methods = context.getBean(BackoffMethods.class);
			StormPart part = context.getBean(StormPart.class);
			List<Object> second = new ArrayList<>();
			// asked for while the first one is read
			Map<String, String> parameters = new AbstractMap<>() {

				@Override
				public Set<Entry<String, String>> entrySet() {
					second.add(part.read(methods.uses().get(0).policy(), Map.of()));
					return Map.of("rate", "many").entrySet();
				}

			};
			assertThatThrownBy(() -> read(part, methods, parameters)).hasMessageStartingWith("Invalid rate (many)");
			assertThat(second).isNotEmpty()
				.first()
				.isInstanceOfSatisfying(WebEndpointResponse.class,
						(response) -> assertThat(response.getStatus()).isEqualTo(429));
		});
	}

	@Test
	void withoutActuatorThereAreNoParts() {
		this.runner.withClassLoader(new FilteredClassLoader(WebEndpointResponse.class))
			.run((context) -> assertThat(context).hasSingleBean(BackoffPlans.class).doesNotHaveBean(PlanPart.class));
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> read(EndpointContributor part, BackoffMethods methods,
			Map<String, String> parameters) {
		return (Map<String, Object>) part.read(methods.uses().get(0).policy(), parameters);
	}

	/** A bean of an application. */
	public static class Payments {

		@Backoff(value = "payment-callback", maxAttempts = "3", base = "1s", cap = "10s")
		public void send() throws IOException {
			throw new IOException("down");
		}

	}

}
