package dev.backoff.benchmarks.speed;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

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

/**
 * A way to call the {@link Partner}, four attempts and no delay between them where it
 * retries. Each is a bean out of an application with a Prometheus registry and the same
 * {@code application.yml}, behind a CGLIB proxy of Spring.
 */
public enum Contender {

	/** The bean itself. */
	PLAIN(HandMadePartners.Plain.class),

	/** A proxy whose advice does nothing. */
	PROXY(HandMadePartners.Proxied.class),

	/** A proxy whose advice times the call into one timer, registered before. */
	FLOOR(HandMadePartners.Timed.class),

	/** Spring Framework's own. */
	FRAMEWORK(PeerPartners.Framework.class),

	/** Spring Framework's own, metered. */
	FRAMEWORK_TIMED(PeerPartners.FrameworkTimed.class),

	/** Spring Retry. */
	SPRING_RETRY(PeerPartners.SpringRetry.class),

	/** Resilience4j, with its meters. */
	RESILIENCE4J(PeerPartners.Resilience4j.class),

	/** Resilience4j with its breaker, with its meters. */
	RESILIENCE4J_BREAKER(PeerPartners.Resilience4jBreaker.class),

	/** Failsafe, which has neither annotations nor meters, by an interceptor. */
	FAILSAFE(HandMadePartners.ByFailsafe.class),

	/** Ours in full: meters, budget and breaker. */
	BACKOFF(OurPartners.Proxied.class),

	/** The same by hand, without a proxy. */
	BACKOFF_PROGRAMMATIC(OurPartners.Programmatic.class),

	/** Ours in full, woven into the class: no proxy. */
	BACKOFF_WOVEN(OurPartners.Woven.class, "--backoff.mode=aspectj"),

	/** Ours in full, with slots of which one is always free. */
	BACKOFF_SLOTS(OurPartners.Proxied.class, "--backoff.policies.partner.concurrency=100"),

	/** Ours with a pace that was told nothing. */
	BACKOFF_PACE(OurPartners.Proxied.class, Contender.PACE),

	/** Ours with a pace that knows two quotas, of which much remains. */
	BACKOFF_PACE_TOLD(OurPartners.Proxied.class, Contender.PACE),

	/** Ours with a breaker for each key, which is the parameter. */
	BACKOFF_KEY(OurPartners.Keyed.class),

	/** Ours with a breaker and a pace for each key, which is the parameter. */
	BACKOFF_KEY_PACE(OurPartners.Keyed.class, Contender.PACE),

	/** Ours with a breaker for each key, which is a property of the parameter. */
	BACKOFF_KEY_PROPERTY(OurPartners.KeyedByProperty.class),

	/** Ours with a breaker whose window has slices of 10 ms. */
	BACKOFF_SHORT_WINDOW(OurPartners.Proxied.class, "--backoff.breakers.partner.window=100ms"),

	/** Ours with a budget that is never full, since a thousand tokens are taken out. */
	BACKOFF_REFILLED(OurPartners.Proxied.class, "--backoff.budgets.partner.tokens=1000",
			"--backoff.budgets.partner.per-success=0.000001"),

	/** Ours without the breaker. */
	BACKOFF_NO_BREAKER(OurPartners.Proxied.class, "--backoff.policies.partner.breaker=none"),

	/** Ours without the budget. */
	BACKOFF_NO_BUDGET(OurPartners.Proxied.class, "--backoff.policies.partner.budget=none"),

	/** Ours without meters. */
	BACKOFF_NO_METERS(OurPartners.Proxied.class, "--backoff.metrics.enabled=false"),

	/** Ours with neither. */
	BACKOFF_BARE(OurPartners.Proxied.class, "--backoff.policies.partner.breaker=none",
			"--backoff.policies.partner.budget=none", "--backoff.metrics.enabled=false"),

	/** Ours, switched off: what finding the method costs. */
	BACKOFF_DISABLED(OurPartners.Proxied.class, "--backoff.enabled=false");

	private static final String PACE = "--backoff.policies.partner.pace=partner";

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

}
