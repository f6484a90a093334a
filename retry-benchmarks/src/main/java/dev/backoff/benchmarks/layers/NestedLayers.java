package dev.backoff.benchmarks.layers;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.resilience4j.springboot.retry.autoconfigure.RetryAutoConfiguration;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.EnableRetry;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

/**
 * Three layers, each a bean with an annotation for three attempts, above a leaf that
 * always fails.
 */
public enum NestedLayers {

	/** Ours, as it is without configuration. */
	BACKOFF("Backoff (default)", Ours.class, ""),

	/** Ours, told to multiply. */
	BACKOFF_MULTIPLYING("Backoff with nested: multiply", Ours.class, "backoff.defaults.nested=multiply"),

	/** Spring Framework's own. */
	FRAMEWORK("Framework @Retryable", Framework.class, ""),

	/** Spring Retry. */
	SPRING_RETRY("Spring Retry", SpringRetry.class, ""),

	/** Resilience4j. */
	RESILIENCE4J("Resilience4j", Resilience4j.class, """
			resilience4j.retry.instances.layer.max-attempts=3
			resilience4j.retry.instances.layer.wait-duration=1ms
			""");

	private final String label;

	private final Class<?> configuration;

	private final String properties;

	NestedLayers(String label, Class<?> configuration, String properties) {
		this.label = label;
		this.configuration = configuration;
		this.properties = properties;
	}

	/**
	 * Return how the figures call it.
	 * @return the label
	 */
	public String label() {
		return this.label;
	}

	/**
	 * Make one call of the outermost layer.
	 * @return how often the leaf was called
	 */
	public int leafCalls() {
		AtomicInteger calls = new AtomicInteger();
		Runnable leaf = () -> {
			calls.incrementAndGet();
			throw new IllegalStateException("the leaf fails");
		};
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(this.configuration)
			.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties(this.properties.lines().toArray(String[]::new))
			.initializers((starting) -> starting.getBeanFactory().registerSingleton("leaf", leaf))
			.run()) {
			context.getBean("outer", Layer.class).run();
		}
		catch (IllegalStateException ex) {
			// as the leaf does
		}
		return calls.get();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class })
	static class Ours {

		@Bean
		Layer inner(Runnable leaf) {
			return new OursLayer(leaf);
		}

		@Bean
		Layer middle(Layer inner) {
			return new OursLayer(inner::run);
		}

		@Bean
		Layer outer(Layer middle) {
			return new OursLayer(middle::run);
		}

		static class OursLayer extends Layer {

			OursLayer(Runnable below) {
				super(below);
			}

			@Override
			@Backoff(maxAttempts = "3", base = "1ms")
			public void run() {
				super.run();
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Framework {

		@Bean
		Layer inner(Runnable leaf) {
			return new FrameworkLayer(leaf);
		}

		@Bean
		Layer middle(Layer inner) {
			return new FrameworkLayer(inner::run);
		}

		@Bean
		Layer outer(Layer middle) {
			return new FrameworkLayer(middle::run);
		}

		static class FrameworkLayer extends Layer {

			FrameworkLayer(Runnable below) {
				super(below);
			}

			@Override
			@org.springframework.resilience.annotation.Retryable(maxRetries = 2, delay = 1)
			public void run() {
				super.run();
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry
	static class SpringRetry {

		@Bean
		Layer inner(Runnable leaf) {
			return new SpringRetryLayer(leaf);
		}

		@Bean
		Layer middle(Layer inner) {
			return new SpringRetryLayer(inner::run);
		}

		@Bean
		Layer outer(Layer middle) {
			return new SpringRetryLayer(middle::run);
		}

		static class SpringRetryLayer extends Layer {

			SpringRetryLayer(Runnable below) {
				super(below);
			}

			@Override
			@org.springframework.retry.annotation.Retryable(maxAttempts = 3,
					backoff = @org.springframework.retry.annotation.Backoff(delay = 1))
			public void run() {
				super.run();
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, RetryAutoConfiguration.class })
	static class Resilience4j {

		@Bean
		Layer inner(Runnable leaf) {
			return new Resilience4jLayer(leaf);
		}

		@Bean
		Layer middle(Layer inner) {
			return new Resilience4jLayer(inner::run);
		}

		@Bean
		Layer outer(Layer middle) {
			return new Resilience4jLayer(middle::run);
		}

		static class Resilience4jLayer extends Layer {

			Resilience4jLayer(Runnable below) {
				super(below);
			}

			@Override
			@io.github.resilience4j.retry.annotation.Retry(name = "layer")
			public void run() {
				super.run();
			}

		}

	}

}
