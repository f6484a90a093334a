package dev.backoff.spring.autoconfigure;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

import org.springframework.aot.AotDetector;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.SpringProperties;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.test.tools.TestCompiler;

/** An application that is processed ahead of time, and started with other settings. */
final class AotApplication {

	private final Class<?>[] beans;

	private final Map<String, String> build = new HashMap<>();

	private AotApplication(Class<?>... beans) {
		this.beans = beans;
	}

	static AotApplication of(Class<?>... beans) {
		return new AotApplication(beans);
	}

	/** Configure it where it is built. */
	AotApplication builtWith(String key, String value) {
		this.build.put(key, value);
		return this;
	}

	/** Process it, and return what a native image would be told. */
	RuntimeHints hints() {
		TestGenerationContext generation = new TestGenerationContext();
		process(generation);
		return generation.getRuntimeHints();
	}

	/** Process and compile it, and hand over what can be started, more than once. */
	void compile(Consumer<Starter> check) {
		TestGenerationContext generation = new TestGenerationContext();
		String initializer = process(generation);
		SpringProperties.setFlag(AotDetector.AOT_ENABLED);
		try {
			TestCompiler.forSystem().with(generation).compile((compiled) -> check.accept((configuration, started) -> {
				try (GenericApplicationContext context = new GenericApplicationContext()) {
					context.setEnvironment(environment(configuration));
					initializer(compiled.getInstance(ApplicationContextInitializer.class, initializer))
						.initialize(context);
					context.refresh();
					started.accept(context);
				}
			}));
		}
		finally {
			SpringProperties.setProperty(AotDetector.AOT_ENABLED, null);
		}
	}

	private String process(TestGenerationContext generation) {
		System.setProperty(AbstractAotProcessor.AOT_PROCESSING, "true");
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.setEnvironment(environment(this.build));
			context.register(Base.class);
			context.register(this.beans);
			String initializer = new ApplicationContextAotGenerator().processAheadOfTime(context, generation)
				.canonicalName();
			generation.writeGeneratedContent();
			return initializer;
		}
		finally {
			System.clearProperty(AbstractAotProcessor.AOT_PROCESSING);
		}
	}

	private static ConfigurableEnvironment environment(Map<String, String> values) {
		ConfigurableEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new MapPropertySource("configuration", new HashMap<>(values)));
		return environment;
	}

	@SuppressWarnings("unchecked") // it is generated so
	private static ApplicationContextInitializer<GenericApplicationContext> initializer(
			ApplicationContextInitializer<?> initializer) {
		return (ApplicationContextInitializer<GenericApplicationContext>) initializer;
	}

	/** Starts it as it is configured where it runs. */
	interface Starter {

		void run(Map<String, String> configuration, Consumer<GenericApplicationContext> started);

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class })
	static class Base {

	}

}
