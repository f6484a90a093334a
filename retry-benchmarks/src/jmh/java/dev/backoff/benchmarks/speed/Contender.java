package dev.backoff.benchmarks.speed;

import java.util.Objects;
import java.util.concurrent.TimeUnit;

import dev.failsafe.Failsafe;
import dev.failsafe.RetryPolicy;
import io.micrometer.core.aop.TimedAspect;
import io.micrometer.core.annotation.Timed;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.springboot.circuitbreaker.autoconfigure.CircuitBreakerAutoConfiguration;
import io.github.resilience4j.springboot.circuitbreaker.autoconfigure.CircuitBreakerMetricsAutoConfiguration;
import io.github.resilience4j.springboot.retry.autoconfigure.RetryAutoConfiguration;
import io.github.resilience4j.springboot.retry.autoconfigure.RetryMetricsAutoConfiguration;
import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.backoff.Sleeper;

import dev.backoff.annotation.Backoff;
import dev.backoff.benchmarks.speed.woven.WovenPartner;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.autoconfigure.BackoffObservationAutoConfiguration;

/**
 * A way to call the {@link Partner}, four attempts and no delay between them where it
 * retries. Each is a bean out of an application with a Prometheus registry and the same
 * {@code application.yml}, behind a CGLIB proxy of Spring.
 */
public enum Contender {

	/** The bean itself. */
	PLAIN(Plain.class),

	/** A proxy whose advice does nothing. */
	PROXY(NoOperation.class),

	/** A proxy whose advice times the call into one timer, registered before. */
	FLOOR(Floor.class),

	/** Spring Framework's own. */
	FRAMEWORK(Framework.class),

	/** Spring Framework's own, metered. */
	FRAMEWORK_TIMED(FrameworkTimed.class),

	/** Spring Retry. */
	SPRING_RETRY(SpringRetry.class),

	/** Resilience4j, with its meters. */
	RESILIENCE4J(Resilience4j.class),

	/** Resilience4j with its breaker, with its meters. */
	RESILIENCE4J_BREAKER(Resilience4jBreaker.class),

	/** Failsafe, which has neither annotations nor meters, by an interceptor. */
	FAILSAFE(ByFailsafe.class),

	/** Ours in full: meters, budget and breaker. */
	BACKOFF(Ours.class),

	/** The same by hand, without a proxy. */
	BACKOFF_PROGRAMMATIC(OursProgrammatic.class),

	/** Ours in full, woven into the class: no proxy. */
	BACKOFF_WOVEN(OursWoven.class, "--backoff.mode=aspectj"),

	/** Ours without the breaker. */
	BACKOFF_NO_BREAKER(Ours.class, "--backoff.policies.partner.breaker=none"),

	/** Ours without the budget. */
	BACKOFF_NO_BUDGET(Ours.class, "--backoff.policies.partner.budget=none"),

	/** Ours without meters. */
	BACKOFF_NO_METERS(Ours.class, "--backoff.metrics.enabled=false"),

	/** Ours with neither. */
	BACKOFF_BARE(Ours.class, "--backoff.policies.partner.breaker=none", "--backoff.policies.partner.budget=none",
			"--backoff.metrics.enabled=false"),

	/** Ours, switched off: what finding the method costs. */
	BACKOFF_DISABLED(Ours.class, "--backoff.enabled=false");

	private final Class<?> configuration;

	private final String[] arguments;

	Contender(Class<?> configuration, String... arguments) {
		this.configuration = configuration;
		this.arguments = arguments;
	}

	/**
	 * Start an application.
	 * @param failures how often its partner fails before it succeeds
	 * @return the context, which has a {@link Partner}
	 */
	ConfigurableApplicationContext start(int failures) {
		return new SpringApplicationBuilder(this.configuration, Metered.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.profiles((failures > 0) ? new String[] { "failing" } : new String[0])
			.initializers((context) -> context.getBeanFactory().registerSingleton("failures", failures))
			.run(this.arguments);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, MetricsAutoConfiguration.class,
			PrometheusMetricsExportAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class })
	static class Metered {

		/** There is one registry and no composite: all contenders record into it. */
		@Bean
		MeterRegistry.Config onlyRegistry(PrometheusMeterRegistry registry) {
			return registry.config();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Plain {

		@Bean
		Partner partner(Integer failures) {
			return new Partner(failures);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NoOperation {

		@Bean
		Partner partner(Integer failures) {
			return proxy(failures, (invocation) -> invocation.proceed());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Floor {

		@Bean
		Partner partner(Integer failures, MeterRegistry registry) {
			Timer timer = registry.timer("partner");
			return proxy(failures, (invocation) -> {
				long start = System.nanoTime();
				try {
					return invocation.proceed();
				}
				finally {
					timer.record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
				}
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ByFailsafe {

		@Bean
		Partner partner(Integer failures) {
			var executor = Failsafe.with(RetryPolicy.builder().withMaxAttempts(4).build());
			return proxy(failures, (invocation) -> executor.get(invocation::proceed));
		}

	}

	private static Partner proxy(int failures, MethodInterceptor advice) {
		ProxyFactory factory = new ProxyFactory(new PartnerToProxy(failures));
		factory.setProxyTargetClass(true);
		factory.addAdvice(advice);
		return (Partner) Objects.requireNonNull(factory.getProxy());
	}

	static class PartnerToProxy extends Partner {

		PartnerToProxy(int failures) {
			super(failures);
		}

		@Override
		public String ask(String question) {
			return super.ask(question);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ BackoffAutoConfiguration.class, BackoffObservationAutoConfiguration.class })
	static class Ours {

		@Bean
		Partner partner(Integer failures) {
			return new OursPartner(failures);
		}

		static class OursPartner extends Partner {

			OursPartner(int failures) {
				super(failures);
			}

			@Override
			@Backoff("partner")
			public String ask(String question) {
				return super.ask(question);
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ BackoffAutoConfiguration.class, BackoffObservationAutoConfiguration.class })
	static class OursWoven {

		@Bean
		Partner partner(Integer failures) {
			return new WovenPartner(failures);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ BackoffAutoConfiguration.class, BackoffObservationAutoConfiguration.class })
	static class OursProgrammatic {

		@Bean
		Partner partner(Integer failures, BackoffMethods methods) {
			dev.backoff.Retry retry = methods.retry("partner");
			return new Partner(failures) {

				@Override
				public String ask(String question) {
					return retry.call(() -> super.ask(question));
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Framework {

		@Bean
		Partner partner(Integer failures) {
			return new FrameworkPartner(failures);
		}

		static class FrameworkPartner extends Partner {

			FrameworkPartner(int failures) {
				super(failures);
			}

			@Override
			@org.springframework.resilience.annotation.Retryable(maxRetries = 3, delay = 0)
			public String ask(String question) {
				return super.ask(question);
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class FrameworkTimed {

		@Bean
		TimedAspect timedAspect(MeterRegistry registry) {
			return new TimedAspect(registry);
		}

		@Bean
		Partner partner(Integer failures) {
			return new FrameworkTimedPartner(failures);
		}

		static class FrameworkTimedPartner extends Partner {

			FrameworkTimedPartner(int failures) {
				super(failures);
			}

			@Override
			@Timed("partner")
			@org.springframework.resilience.annotation.Retryable(maxRetries = 3, delay = 0)
			public String ask(String question) {
				return super.ask(question);
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry
	static class SpringRetry {

		/* It makes at least a millisecond of no delay. */
		@Bean
		Sleeper sleeper() {
			return (millis) -> {
			};
		}

		@Bean
		Partner partner(Integer failures) {
			return new SpringRetryPartner(failures);
		}

		static class SpringRetryPartner extends Partner {

			SpringRetryPartner(int failures) {
				super(failures);
			}

			@Override
			@org.springframework.retry.annotation.Retryable(maxAttempts = 4,
					backoff = @org.springframework.retry.annotation.Backoff(delay = 0))
			public String ask(String question) {
				return super.ask(question);
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ RetryAutoConfiguration.class, RetryMetricsAutoConfiguration.class })
	static class Resilience4j {

		@Bean
		Partner partner(Integer failures) {
			return new Resilience4jPartner(failures);
		}

		static class Resilience4jPartner extends Partner {

			Resilience4jPartner(int failures) {
				super(failures);
			}

			@Override
			@Retry(name = "partner")
			public String ask(String question) {
				return super.ask(question);
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ RetryAutoConfiguration.class, RetryMetricsAutoConfiguration.class,
			CircuitBreakerAutoConfiguration.class, CircuitBreakerMetricsAutoConfiguration.class })
	static class Resilience4jBreaker {

		@Bean
		Partner partner(Integer failures) {
			return new Resilience4jBreakerPartner(failures);
		}

		static class Resilience4jBreakerPartner extends Partner {

			Resilience4jBreakerPartner(int failures) {
				super(failures);
			}

			@Override
			@Retry(name = "partner")
			@CircuitBreaker(name = "partner")
			public String ask(String question) {
				return super.ask(question);
			}

		}

	}

}
