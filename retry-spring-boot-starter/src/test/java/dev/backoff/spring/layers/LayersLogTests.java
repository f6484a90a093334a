package dev.backoff.spring.layers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.web.client.RestClient;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class LayersLogTests {

	private static final String CLIENT = "Apache HttpClient 5 (bean clientHttpRequestFactoryBuilder) sends a request up "
			+ "to 2 times by itself, after 429, 503, some I/O errors, and waits for Retry-After within an attempt; "
			+ "to switch that off: withHttpClientCustomizer(HttpClientBuilder::disableAutomaticRetries) at the builder";

	private static final String MULTIPLIED = "Attempts multiply with other retries (details: "
			+ "/actuator/backoff?view=layers): ";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
				HttpClientAutoConfiguration.class, ImperativeHttpClientAutoConfiguration.class,
				RestClientAutoConfiguration.class))
		.withPropertyValues("spring.http.clients.imperative.factory=http-components")
		.withBean(Payments.class)
		.withBean(Orders.class);

	@Test
	void warnsOnceOfClientsAndOfManyAttempts(CapturedOutput output) {
		this.runner.withPropertyValues("backoff.policies.[Payments.pay].max-attempts=5").run((context) -> {
			LayersLog log = log(context);
			ready(log, context);
			ready(log, context);
			assertThat(told(output)).containsExactly("WARN " + CLIENT,
					"WARN " + MULTIPLIED + "Payments.pay 5, at most 10 (Apache HttpClient 5 2)",
					"INFO " + MULTIPLIED + "Orders.place 4, at most 8 (Apache HttpClient 5 2)");
		});
	}

	@Test
	void isSilentWhereNothingMultiplies(CapturedOutput output) {
		this.runner.withPropertyValues("spring.http.clients.imperative.factory=jdk").run((context) -> {
			ready(log(context), context);
			assertThat(told(output)).isEmpty();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "backoff.other-retries=off", "backoff.enabled=false" })
	void isSilentIfSwitchedOff(String property, CapturedOutput output) {
		this.runner.withPropertyValues(property).run((context) -> {
			ready(log(context), context);
			assertThat(told(output)).isEmpty();
			assertThat(context.getBean(RetryLayers.class).report().layers()).isNotEmpty();
		});
	}

	@Test
	void leavesTwoAnnotationsOnAMethodToTheAdviceBeforeStartUp(CapturedOutput output) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
			.withUserConfiguration(Framework.class)
			.withBean(Twice.class)
			.run((context) -> {
				ready(log(context), context);
				assertThat(told(output)).isEmpty();
				assertThat(output).contains("org.springframework.resilience.annotation.Retryable is on the method too");
				assertThat(context.getBean(RetryLayers.class).report().methods().get("Twice.call").atMost())
					.isEqualTo(16);
			});
	}

	@Test
	void survivesASearchThatFails(CapturedOutput output) {
		this.runner.run((context) -> {
			LayersLog log = new LayersLog(context.getBean(BackoffPolicies.class).configuration(), () -> {
				throw new IllegalStateException("closed");
			}, Runnable::run);
			ready(log, context);
			assertThat(told(output)).isEmpty();
		});
	}

	@Test
	void refusesAnotherValue() {
		this.runner.withPropertyValues("backoff.other-retries=on")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Invalid backoff.other-retries (on)")
				.hasMessageContaining("warn"));
	}

	@Test
	void looksOnADaemonThreadWithoutTheEndpoint() throws InterruptedException {
		List<Thread> threads = new ArrayList<>();
		Object told = new Object();
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.initializers((beans) -> beans.getBeanFactory()
				.registerSingleton("finder", (RetryLayerFinder) (factory, found) -> {
					synchronized (told) {
						threads.add(Thread.currentThread());
						told.notifyAll();
					}
				}))
			.run()) {
			synchronized (told) {
				while (threads.isEmpty()) {
					told.wait(10_000);
				}
			}
			assertThat(context.isActive()).isTrue();
			assertThat(threads).singleElement()
				.matches(Thread::isDaemon)
				.extracting(Thread::getName)
				.asString()
				.startsWith("backoff-layers-");
		}
	}

	private static LayersLog log(AssertableApplicationContext context) {
		return new LayersLog(context.getBean(BackoffPolicies.class).configuration(),
				() -> context.getBean(RetryLayers.class), Runnable::run);
	}

	private static void ready(LayersLog log, AssertableApplicationContext context) {
		log.onApplicationEvent(new ApplicationReadyEvent(new SpringApplication(), new String[0],
				context.getSourceApplicationContext(), Duration.ZERO));
	}

	private static List<String> told(CapturedOutput output) {
		return output.getOut()
			.lines()
			.filter((line) -> line.contains("LayersLog"))
			.map((line) -> line.replaceFirst("^.*?(WARN|INFO) .*?LayersLog +(:|--) ", "$1 "))
			.toList();
	}

	public static class Payments {

		public Payments(RestClient.Builder builder) {
		}

		@Backoff
		public void pay() {
		}

	}

	public static class Orders {

		public Orders(RestClient.Builder builder) {
		}

		@Backoff
		public void place() {
		}

	}

	public static class Twice {

		@Backoff
		@Retryable
		public void call() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Framework {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class })
	static class Application {

	}

}
