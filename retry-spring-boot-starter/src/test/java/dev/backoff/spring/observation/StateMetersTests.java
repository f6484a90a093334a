package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;

import ch.qos.logback.classic.Level;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.RetryBudget;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.live.ConfigurationListener;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.safety.OverloadSafety;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

class StateMetersTests {

	private final VirtualTime time = new VirtualTime();

	private final MeterRegistry simple = new SimpleMeterRegistry();

	private final StateMeters meters = new StateMeters(() -> this.simple, () -> this.safety, () -> true);

	private BackoffPolicies policies = policies(Map.of("backoff.policies.orders.base", "100ms",
			"backoff.policies.orders.pace", "account", "backoff.breakers.orders.open-for", "10s"));

	private OverloadSafety safety = safety();

	private BackoffPolicies policies(Map<String, Object> properties) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new MapPropertySource("test", properties));
		return new BackoffPolicies(BackoffConfiguration.read(environment), environment, getClass().getClassLoader());
	}

	private OverloadSafety safety() {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		beans.registerSingleton("time", this.time);
		beans.registerSingleton("meters", this.meters);
		return new OverloadSafety(this.policies.configuration(), beans);
	}

	private EffectivePolicy orders() {
		return this.policies.resolve("orders");
	}

	private RetryBudget budget() {
		return this.safety.budget(orders(), this.policies.configuration());
	}

	private CircuitBreaker breaker() {
		return this.safety.breakers().get("orders");
	}

	private double gauge(BackoffMeters meter, String... tags) {
		return this.simple.get(meter.getName()).tags(tags).gauge().value();
	}

	private double count(BackoffMeters meter, String... tags) {
		return this.simple.get(meter.getName()).tags(tags).functionCounter().count();
	}

	@Nested
	class AtTheStart {

		@Test
		void publishesWhatThereIs() {
			PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
			budget();
			new StateMeters(() -> prometheus, () -> safety, () -> true).bind();
			assertThat(prometheus.scrape().lines().filter((line) -> !line.startsWith("#"))).containsExactly(
					"backoff_breaker_rejected_total{breaker=\"orders\"} 0.0",
					"backoff_breaker_reopened{breaker=\"orders\"} 0.0",
					"backoff_breaker_state{breaker=\"orders\",state=\"closed\"} 1.0",
					"backoff_breaker_state{breaker=\"orders\",state=\"disabled\"} 0.0",
					"backoff_breaker_state{breaker=\"orders\",state=\"forced_open\"} 0.0",
					"backoff_breaker_state{breaker=\"orders\",state=\"half_open\"} 0.0",
					"backoff_breaker_state{breaker=\"orders\",state=\"open\"} 0.0",
					"backoff_breaker_transitions_total{breaker=\"orders\",from=\"closed\",to=\"open\"} 0.0",
					"backoff_breaker_transitions_total{breaker=\"orders\",from=\"half_open\",to=\"closed\"} 0.0",
					"backoff_breaker_transitions_total{breaker=\"orders\",from=\"half_open\",to=\"open\"} 0.0",
					"backoff_breaker_transitions_total{breaker=\"orders\",from=\"open\",to=\"half_open\"} 0.0",
					"backoff_budget_barred_total{budget=\"orders\"} 0.0",
					"backoff_budget_refused_total{budget=\"orders\"} 0.0",
					"backoff_budget_strikes{budget=\"orders\"} 0.0", "backoff_budget_tokens{budget=\"orders\"} 50.0",
					"backoff_refresh_total{outcome=\"applied\"} 0.0", "backoff_refresh_total{outcome=\"expired\"} 0.0",
					"backoff_refresh_total{outcome=\"operated\"} 0.0",
					"backoff_refresh_total{outcome=\"overridden\"} 0.0",
					"backoff_refresh_total{outcome=\"refused\"} 0.0", "backoff_refresh_total{outcome=\"reset\"} 0.0");
		}

		@Test
		void everyMeterIsDocumentedAndEveryDocumentedMeterIsThere() {
			budget();
			meters.bind();
			EnumSet<BackoffMeters> ours = EnumSet.range(BackoffMeters.BUDGET_TOKENS, BackoffMeters.BREAKER_TRANSITIONS);
			ours.add(BackoffMeters.REFRESH);
			assertThat(simple.getMeters()).extracting((meter) -> meter.getId().getName())
				.containsOnly(ours.stream().map(BackoffMeters::getName).toArray(String[]::new));
			for (Meter meter : simple.getMeters()) {
				BackoffMeters documented = ours.stream()
					.filter((candidate) -> candidate.getName().equals(meter.getId().getName()))
					.findFirst()
					.orElseThrow();
				assertThat(meter.getId().getDescription()).isEqualTo(documented.getDescription()).isNotBlank();
				assertThat(meter.getId().getType()).isEqualTo(documented.getType());
				assertThat(meter.getId().getTags()).extracting(Tag::getKey)
					.containsExactlyInAnyOrder(Arrays.stream(documented.getKeyNames())
						.map((key) -> key.asString())
						.toArray(String[]::new));
			}
		}

		@Test
		void countsTransitionsThatWereEarlier() {
			breaker().open();
			breaker().disable();
			meters.bind();
			assertThat(count(BackoffMeters.BREAKER_TRANSITIONS, "from", "closed", "to", "open")).isOne();
			assertThat(count(BackoffMeters.BREAKER_TRANSITIONS, "from", "open", "to", "disabled")).isOne();
		}

		@Test
		void registersNoMeterTwice() {
			Overrides overrides = Overrides.NONE.with("orders", Map.of(PolicyKey.CAP, "5s"), null);
			try (LogCapture log = new LogCapture(MeterRegistry.class)) {
				meters.bind();
				meters.bind();
				safety.pace(orders(), policies.configuration());
				safety.pace(orders(), policies.configuration());
				breaker().open();
				meters.changed(ConfigurationListener.Outcome.OVERRIDDEN, overrides);
				meters.changed(ConfigurationListener.Outcome.OVERRIDDEN, overrides);
				// a WARN the first time, DEBUG after that
				assertThat(log.events()).noneMatch((event) -> event.getMessage().contains("already registered"));
			}
		}

	}

	@Nested
	class Later {

		@Test
		void publishesABudgetWhenItIsMade() {
			meters.bind();
			assertThat(simple.find(BackoffMeters.BUDGET_TOKENS.getName()).gauge()).isNull();
			budget();
			assertThat(gauge(BackoffMeters.BUDGET_TOKENS, "budget", "orders")).isEqualTo(50);
		}

		@Test
		void publishesABreakerThatAPolicyNamesAfterItself() {
			policies = policies(Map.of("backoff.policies.mail.breaker", "mail"));
			safety = safety();
			meters.bind();
			safety.permits(policies.resolve("mail"), policies.configuration());
			assertThat(gauge(BackoffMeters.BREAKER_STATE, "breaker", "mail", "state", "closed")).isOne();
		}

	}

	@Nested
	class Values {

		@Test
		void followTheBudget() {
			RetryBudget budget = budget();
			meters.bind();
			while (budget.tryWithdraw()) {
				// until it is empty
			}
			assertThat(gauge(BackoffMeters.BUDGET_TOKENS)).isZero();
			assertThat(count(BackoffMeters.BUDGET_REFUSED)).isOne();
		}

		@Test
		void tellABudgetThatTimeHasFilledIt() {
			RetryBudget budget = budget();
			meters.bind();
			while (budget.tryWithdraw()) {
				// until it is empty
			}
			time.advance(Duration.ofMinutes(5));
			assertThat(gauge(BackoffMeters.BUDGET_TOKENS)).isEqualTo(30);
			budget.tryWithdraw();
			assertThat(budget.isDry()).isFalse();
		}

		@Test
		void followTheBreaker() {
			CircuitBreaker breaker = breaker();
			meters.bind();
			breaker.open();
			breaker.tryAcquire(time.nanoTime());
			for (BreakerState state : BreakerState.values()) {
				assertThat(gauge(BackoffMeters.BREAKER_STATE, "state", state.tag())).as(state.tag())
					.isEqualTo((state == BreakerState.OPEN) ? 1 : 0);
			}
			assertThat(count(BackoffMeters.BREAKER_REJECTED)).isOne();
			assertThat(count(BackoffMeters.BREAKER_TRANSITIONS, "from", "closed", "to", "open")).isOne();
			breaker.forceOpen();
			assertThat(count(BackoffMeters.BREAKER_TRANSITIONS, "from", "open", "to", "forced_open")).isOne();
			breaker.reset();
			assertThat(count(BackoffMeters.BREAKER_REJECTED)).isOne();
		}

		@Test
		void showABreakerAsHalfOpenWhenItsProbeIsDue() {
			CircuitBreaker breaker = breaker();
			meters.bind();
			breaker.openFor(Duration.ofSeconds(10));
			time.advance(Duration.ofSeconds(10));
			assertThat(gauge(BackoffMeters.BREAKER_STATE, "state", "open")).isZero();
			assertThat(gauge(BackoffMeters.BREAKER_STATE, "state", "half_open")).isOne();
			assertThat(count(BackoffMeters.BREAKER_TRANSITIONS, "from", "open", "to", "half_open")).isZero();
			breaker.tryAcquire(time.nanoTime());
			assertThat(gauge(BackoffMeters.BREAKER_STATE, "state", "half_open")).isOne();
			assertThat(count(BackoffMeters.BREAKER_TRANSITIONS, "from", "open", "to", "half_open")).isOne();
		}

		@Test
		void countTheOpeningsSinceABreakerWasClosed() {
			CircuitBreaker breaker = breaker();
			meters.bind();
			for (int opened = 1; opened <= 3; opened++) {
				breaker.openFor(Duration.ofSeconds(10));
				assertThat(gauge(BackoffMeters.BREAKER_REOPENED)).isEqualTo(opened);
				time.advance(Duration.ofSeconds(10));
				breaker.tryAcquire(time.nanoTime());
				assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
				assertThat(gauge(BackoffMeters.BREAKER_REOPENED)).isEqualTo(opened);
			}
			breaker.reset();
			assertThat(gauge(BackoffMeters.BREAKER_REOPENED)).isZero();
			breaker.forceOpen();
			assertThat(gauge(BackoffMeters.BREAKER_REOPENED)).isZero();
		}

		@Test
		void surviveTheCollector() {
			breaker().open();
			meters.bind();
			System.gc();
			assertThat(gauge(BackoffMeters.BREAKER_STATE, "state", "open")).isOne();
			assertThat(count(BackoffMeters.BREAKER_TRANSITIONS, "from", "closed", "to", "open")).isOne();
		}

	}

	@Nested
	class Failures {

		@Test
		void ofARegistryFailNothing() {
			simple.config().meterFilter(new MeterFilter() {

				@Override
				public Meter.Id map(Meter.Id id) {
					throw new IllegalStateException("filter");
				}

			});
			try (LogCapture log = new LogCapture(GuardedRegistry.class)) {
				assertThatCode(() -> {
					meters.bind();
					budget();
					breaker().open();
					breaker().forceOpen();
				}).doesNotThrowAnyException();
				assertThat(log.lines(Level.WARN)).containsExactlyInAnyOrderElementsOf(List
					.of("backoff.budget.tokens", "backoff.budget.refused", "backoff.budget.strikes",
							"backoff.budget.barred", "backoff.breaker.state", "backoff.breaker.rejected",
							"backoff.breaker.reopened", "backoff.breaker.transitions", "backoff.refresh")
					.stream()
					.map((name) -> "Dropped meter " + name + ", which the registry refused")
					.toList());
			}
		}

		@Test
		void ofTheWayToTheRegistryFailNothing() {
			StateMeters lost = new StateMeters(() -> {
				throw new IllegalStateException("no way");
			}, () -> safety, () -> true);
			assertThatCode(lost::bind).doesNotThrowAnyException();
			assertThatCode(() -> new StateMeters(() -> null, () -> safety, () -> true).bind())
				.doesNotThrowAnyException();
		}

	}

}
