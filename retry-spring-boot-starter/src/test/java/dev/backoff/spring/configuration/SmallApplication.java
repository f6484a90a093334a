package dev.backoff.spring.configuration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.slf4j.LoggerFactory;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.FileSystemUtils;

import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;

/**
 * An application of a few beans that starts with real configuration files, environment
 * variables and arguments, and with nothing of the machine it runs on.
 */
public final class SmallApplication {

	private final List<Class<?>> beans = new ArrayList<>();

	private final Map<String, String> files = new LinkedHashMap<>();

	private final Map<String, Object> environment = new HashMap<>();

	private final List<String> arguments = new ArrayList<>();

	private final List<PropertySource<?>> sources = new ArrayList<>();

	private SmallApplication(Class<?>... beans) {
		this.beans.add(Base.class);
		this.beans.addAll(List.of(beans));
	}

	public static SmallApplication of(Class<?>... beans) {
		return new SmallApplication(beans);
	}

	public SmallApplication yaml(String text) {
		return file("application.yml", text);
	}

	public SmallApplication file(String name, String text) {
		this.files.put(name, text);
		return this;
	}

	public SmallApplication variable(String name, String value) {
		this.environment.put(name, value);
		return this;
	}

	public SmallApplication argument(String argument) {
		this.arguments.add(argument);
		return this;
	}

	/** Add a source that is stronger than all others. */
	public SmallApplication source(PropertySource<?> source) {
		this.sources.add(source);
		return this;
	}

	/** Start, and hand over what runs. */
	public void run(Consumer<ConfigurableApplicationContext> check) {
		Path directory = write();
		try (ConfigurableApplicationContext context = start(directory)) {
			check.accept(context);
		}
		finally {
			delete(directory);
		}
	}

	/** Start, and hand over what is in effect for the only annotated method. */
	public void runWithPolicy(Consumer<EffectivePolicy> check) {
		run((context) -> {
			List<PolicyUse> uses = context.getBean(BackoffMethods.class).uses();
			if (uses.size() != 1) {
				throw new AssertionError("Not one method but " + uses);
			}
			check.accept(uses.get(0).policy());
		});
	}

	/** Start, and return what the check of the methods logs, after its levels. */
	public List<String> startupLog() {
		Logger logger = (Logger) LoggerFactory.getLogger(BackoffMethods.class.getPackageName());
		ListAppender<ILoggingEvent> appender = new ListAppender<>();
		appender.start();
		logger.addAppender(appender);
		try {
			run((context) -> {
			});
		}
		finally {
			logger.detachAppender(appender);
		}
		return appender.list.stream().map((event) -> event.getLevel() + " " + event.getFormattedMessage()).toList();
	}

	/** Start, and return what that fails with. */
	public Throwable failure() {
		try {
			run((context) -> {
			});
		}
		catch (RuntimeException ex) {
			return ex;
		}
		throw new AssertionError("The application started");
	}

	/** Start with everything that an application has, its report on the console. */
	public void startAloud() {
		Path directory = write();
		try {
			application().run(arguments(directory)).close();
		}
		finally {
			delete(directory);
		}
	}

	private ConfigurableApplicationContext start(Path directory) {
		SpringApplication application = application();
		// the logging of the tests stays as it is, and a start takes half the time
		application.setListeners(application.getListeners()
			.stream()
			.filter((listener) -> !(listener instanceof LoggingApplicationListener))
			.toList());
		return application.run(arguments(directory));
	}

	private SpringApplication application() {
		SpringApplication application = new SpringApplication(this.beans.toArray(Class<?>[]::new));
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setBannerMode(Banner.Mode.OFF);
		application.setLogStartupInfo(false);
		application.setRegisterShutdownHook(false);
		application.setEnvironment(new CleanEnvironment(this.environment));
		application.addInitializers((context) -> this.sources
			.forEach((source) -> context.getEnvironment().getPropertySources().addFirst(source)));
		return application;
	}

	private String[] arguments(Path directory) {
		List<String> all = new ArrayList<>(this.arguments);
		// two slashes, so that no origin has the directory, whose name is made up
		all.add("--spring.config.location=" + directory.toUri() + "/");
		return all.toArray(String[]::new);
	}

	private Path write() {
		try {
			Path directory = Files.createTempDirectory("backoff");
			for (Map.Entry<String, String> file : this.files.entrySet()) {
				Files.writeString(directory.resolve(file.getKey()), file.getValue());
			}
			return directory;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void delete(Path directory) {
		try {
			FileSystemUtils.deleteRecursively(directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class })
	static class Base {

	}

	private static final class CleanEnvironment extends StandardEnvironment {

		CleanEnvironment(Map<String, Object> variables) {
			getPropertySources().replace(SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
					new SystemEnvironmentPropertySource(SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
		}

	}

}
