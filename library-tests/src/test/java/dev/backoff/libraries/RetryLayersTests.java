package dev.backoff.libraries;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import dev.langchain4j.model.openai.OpenAiChatModel;
import feign.Retryer;
import io.github.resilience4j.retry.RetryConfig;
import io.github.resilience4j.retry.RetryRegistry;
import okhttp3.OkHttpClient;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.layers.RetryLayer;
import dev.backoff.spring.layers.RetryLayerFinder;
import dev.backoff.spring.layers.RetryLayers;

import static org.assertj.core.api.Assertions.assertThat;

class RetryLayersTests {

	private static final String IMPERATIVE = "spring.http.clients.imperative.factory=";

	private static final String REACTIVE = "spring.http.clients.reactive.connector=";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
				HttpClientAutoConfiguration.class, ImperativeHttpClientAutoConfiguration.class,
				ReactiveHttpClientAutoConfiguration.class, RestClientAutoConfiguration.class,
				RestTemplateAutoConfiguration.class, WebClientAutoConfiguration.class))
		.withPropertyValues(IMPERATIVE + "simple", REACTIVE + "jdk");

	@Nested
	class HttpClients {

		@ParameterizedTest
		@CsvSource({ "http-components, Apache HttpClient 5, 2", "jdk, JDK HttpClient,", "simple, HttpURLConnection,",
				"reactor, Reactor Netty," })
		void areFoundBehindControllerAndService(String factory, String name, Integer attempts) {
			RetryLayersTests.this.runner.withPropertyValues(IMPERATIVE + factory)
				.withBean(Controller.class)
				.withBean(Service.class)
				.withBean(PaymentClient.class)
				.run((context) -> {
					RetryLayer layer = at(context, "bean clientHttpRequestFactoryBuilder");
					assertThat(layer.name()).isEqualTo(name);
					assertThat(layer.attempts()).isEqualTo(attempts);
					RetryLayers.MethodLayers met = report(context).methods().get("Controller.pay");
					assertThat(met.attempts()).isEqualTo(4);
					assertThat(met.meets()).containsExactly(layer);
					assertThat(met.atMost()).isEqualTo((attempts != null) ? 8 : 4);
				});
		}

		@ParameterizedTest
		@CsvSource({ "jdk, JDK HttpClient", "reactor, Reactor Netty" })
		void areFoundBehindWebClient(String connector, String name) {
			RetryLayersTests.this.runner.withPropertyValues(REACTIVE + connector)
				.withBean(ReactiveClient.class)
				.run((context) -> assertThat(report(context).methods().get("ReactiveClient.get").meets())
					.extracting(RetryLayer::name)
					.containsExactly(name));
		}

		@Test
		void areNotFoundWhereTheirRetriesAreOff() {
			assertApache((client) -> client.disableAutomaticRetries(), null);
			assertApache((client) -> client
				.setRetryStrategy(new DefaultHttpRequestRetryStrategy(0, TimeValue.ZERO_MILLISECONDS)), null);
		}

		@Test
		void haveTheNumberOfTheirStrategy() {
			assertApache((client) -> client
				.setRetryStrategy(new DefaultHttpRequestRetryStrategy(4, TimeValue.ZERO_MILLISECONDS)), 5);
		}

		@Test
		void areLeftOutIfTheApplicationsCustomizerFails() {
			RetryLayersTests.this.runner.withPropertyValues(IMPERATIVE + "http-components")
				.withBean(ApacheCustomizer.class, () -> new ApacheCustomizer((client) -> {
					throw new IllegalStateException("not now");
				}))
				.withBean(OkHttpClient.class)
				.run((context) -> assertThat(report(context).layers()).extracting(RetryLayer::name)
					.containsOnly("OkHttp", "JDK HttpClient"));
		}

		private void assertApache(Consumer<HttpClientBuilder> customizer, Integer attempts) {
			RetryLayersTests.this.runner.withPropertyValues(IMPERATIVE + "http-components")
				.withBean(ApacheCustomizer.class, () -> new ApacheCustomizer(customizer))
				.run((context) -> assertThat(report(context).layers())
					.filteredOn((layer) -> layer.name().startsWith("Apache"))
					.extracting(RetryLayer::attempts)
					.isEqualTo((attempts != null) ? List.of(attempts) : List.of()));
		}

	}

	@Nested
	class Annotations {

		@Test
		void ofSpringFrameworkCountTheFirstAttempt() {
			RetryLayersTests.this.runner.withUserConfiguration(Framework.class)
				.withBean(FrameworkRetried.class)
				.withPropertyValues("retries=7")
				.run((context) -> {
					assertThat(layers(context, "Spring Framework @Retryable")).extracting(RetryLayer::place)
						.containsExactlyInAnyOrder("FrameworkRetried.defaults", "FrameworkRetried.numbers",
								"FrameworkRetried.placeholder");
					assertThat(at(context, "FrameworkRetried.defaults").attempts()).isEqualTo(4);
					assertThat(at(context, "FrameworkRetried.numbers").attempts()).isEqualTo(3);
					assertThat(at(context, "FrameworkRetried.placeholder").attempts()).isEqualTo(8);
				});
		}

		@Test
		void ofSpringFrameworkAreIgnoredUnlessEnabled() {
			RetryLayersTests.this.runner.withBean(FrameworkRetried.class)
				.withPropertyValues("retries=7")
				.run((context) -> assertThat(layers(context, "Spring Framework @Retryable")).isEmpty());
		}

		@Test
		void ofSpringRetryAreFoundOnTypesToo() {
			RetryLayersTests.this.runner.withUserConfiguration(SpringRetry.class)
				.withBean(SpringRetried.class)
				.run((context) -> {
					assertThat(at(context, "SpringRetried.onType").attempts()).isEqualTo(3);
					assertThat(at(context, "SpringRetried.numbers").attempts()).isEqualTo(5);
				});
		}

		@Test
		void ofResilience4jHaveTheNumbersOfTheRegistry() {
			RetryRegistry registry = RetryRegistry
				.of(Map.of("default", RetryConfig.ofDefaults(), "five", RetryConfig.custom().maxAttempts(5).build()));
			registry.retry("orders", "five");
			RetryLayersTests.this.runner.withBean(RetryRegistry.class, () -> registry)
				.withBean(ResilienceRetried.class)
				.run((context) -> {
					assertThat(at(context, "ResilienceRetried.known").attempts()).isEqualTo(5);
					assertThat(at(context, "ResilienceRetried.unknown").attempts()).isEqualTo(3);
					assertThat(registry.getAllRetries()).hasSize(1);
				});
		}

		@Test
		void multiplyAroundAndWithinAMethod() {
			RetryLayersTests.this.runner.withUserConfiguration(Framework.class)
				.withPropertyValues("retries=7")
				.withBean(Outer.class)
				.withBean(Middle.class)
				.withBean(FrameworkRetried.class)
				.run((context) -> {
					// 2 around, 4 of its own, 8 of the greatest within
					assertThat(report(context).methods().get("Middle.place").atMost()).isEqualTo(2 * 4 * 8);
					assertThat(report(context).methods().get("Middle.place").meets()).hasSize(4);
				});
		}

		@Test
		void onAnotherMethodOfTheBeanDoNotCount() {
			RetryLayersTests.this.runner.withUserConfiguration(Framework.class).withBean(Both.class).run((context) -> {
				assertThat(report(context).methods().get("Both.twice").atMost()).isEqualTo(4 * 4);
				assertThat(report(context).methods()).doesNotContainKey("Both.once");
			});
		}

	}

	@Nested
	class Libraries {

		@Test
		void ofTheCommonKindsAreFound() {
			RetryLayersTests.this.runner.withBean("template", org.springframework.retry.support.RetryTemplate.class)
				.withBean("newTemplate", org.springframework.core.retry.RetryTemplate.class)
				.withBean(OkHttpClient.class)
				.run((context) -> assertThat(report(context).layers())
					.filteredOn((layer) -> layer.place().startsWith("bean "))
					.extracting(RetryLayer::name)
					.contains("Spring Retry RetryTemplate", "Spring Framework RetryTemplate", "OkHttp"));
		}

		@Test
		void ofFeignHaveTheNumberOfTheirRetryer() {
			RootBeanDefinition client = new RootBeanDefinition(Object.class);
			client.setAttribute("feignClientsRegistrarFactoryBean", "its factory");
			ApplicationContextRunner runner = RetryLayersTests.this.runner
				.withInitializer(
						(context) -> ((org.springframework.beans.factory.support.BeanDefinitionRegistry) context)
							.registerBeanDefinition("partner", client))
				.withBean(FeignUser.class);
			runner.withBean(Retryer.class, Retryer.Default::new).run((context) -> {
				assertThat(layer(context, "OpenFeign Retryer").attempts()).isEqualTo(5);
				assertThat(report(context).methods().get("FeignUser.send").atMost()).isEqualTo(20);
			});
			runner.withBean(Retryer.class, () -> Retryer.NEVER_RETRY)
				.run((context) -> assertThat(layers(context, "OpenFeign Retryer")).isEmpty());
		}

		@Test
		void ofLangChain4jHaveTheNumberOfTheModel() {
			RetryLayersTests.this.runner.withBean("defaults", OpenAiChatModel.class, () -> model(null))
				.withBean("two", OpenAiChatModel.class, () -> model(1))
				.run((context) -> {
					assertThat(at(context, "bean defaults").attempts()).isEqualTo(3);
					assertThat(at(context, "bean two").attempts()).isEqualTo(2);
				});
		}

		private static OpenAiChatModel model(Integer retries) {
			return OpenAiChatModel.builder().apiKey("none").modelName("none").maxRetries(retries).build();
		}

	}

	@Nested
	class UnretriedMethods {

		@Test
		void areThoseWithoutARetryOfTheirOwnOrBelow() {
			RetryLayersTests.this.runner.withUserConfiguration(Framework.class)
				.withPropertyValues("retries=1")
				.withBean(PlainJob.class)
				.withBean(RetriedJob.class)
				.withBean(Middle.class)
				.withBean(FrameworkRetried.class)
				.withBean(JobOverRetried.class)
				.withBean(JobBesideRetried.class)
				.run((context) -> assertThat(report(context).unretried())
					.containsExactly("JobBesideRetried.run (@Scheduled)", "PlainJob.run (@Scheduled)"));
		}

	}

	@Test
	void createsNoBean() {
		this.runner.withUserConfiguration(LazyBeans.class).withBean(OkHttpUser.class).run((context) -> {
			report(context);
			assertThat(context.getBeanFactory().containsSingleton("lazyClient")).isFalse();
		});
	}

	@Test
	void asksTheFindersOfTheApplication() {
		RetryLayer own = new RetryLayer("Own", "bean payments", 3, "anything", "own.retries=0", null);
		this.runner.withBean(RetryLayerFinder.class, () -> (beans, found) -> found.accept("service", own))
			.withBean("failing", RetryLayerFinder.class, () -> (beans, found) -> {
				throw new IllegalStateException("cannot look");
			})
			.withBean("payments", PaymentClient.class)
			.withBean("service", Service.class)
			.withBean(Controller.class)
			.run((context) -> {
				assertThat(report(context).layers()).contains(own);
				assertThat(report(context).methods().get("Controller.pay").atMost()).isEqualTo(12);
			});
	}

	@Test
	void hasNoProductForUnlimitedAttempts() {
		this.runner.withPropertyValues(IMPERATIVE + "http-components", "backoff.defaults.max-attempts=unlimited")
			.withBean(Controller.class)
			.withBean(Service.class)
			.withBean(PaymentClient.class)
			.run((context) -> {
				assertThat(report(context).methods().get("Controller.pay").attempts()).isNull();
				assertThat(report(context).methods().get("Controller.pay").atMost()).isNull();
			});
	}

	private static RetryLayers.Report report(AssertableApplicationContext context) {
		return context.getBean(RetryLayers.class).report();
	}

	private static List<RetryLayer> layers(AssertableApplicationContext context, String name) {
		return report(context).layers().stream().filter((layer) -> layer.name().equals(name)).toList();
	}

	private static RetryLayer layer(AssertableApplicationContext context, String name) {
		assertThat(layers(context, name)).hasSize(1);
		return layers(context, name).get(0);
	}

	private static RetryLayer at(AssertableApplicationContext context, String place) {
		return report(context).layers()
			.stream()
			.filter((layer) -> layer.place().equals(place))
			.findFirst()
			.orElseThrow();
	}

	private record ApacheCustomizer(Consumer<HttpClientBuilder> client)
			implements
				ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder> {

		@Override
		public HttpComponentsClientHttpRequestFactoryBuilder customize(
				HttpComponentsClientHttpRequestFactoryBuilder builder) {
			return builder.withHttpClientCustomizer(this.client);
		}

	}

	static class PaymentClient {

		PaymentClient(RestClient.Builder builder) {
			builder.build();
		}

	}

	static class Service {

		Service(PaymentClient client) {
		}

	}

	public static class Controller {

		public Controller(Service service) {
		}

		@Backoff
		public void pay() {
		}

	}

	public static class ReactiveClient {

		public ReactiveClient(WebClient.Builder builder) {
		}

		@Backoff
		public void get() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Framework {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry
	static class SpringRetry {

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBeans {

		@Bean
		@Lazy
		OkHttpClient lazyClient() {
			return new OkHttpClient();
		}

	}

	public static class OkHttpUser {

		@Backoff
		public void call() {
		}

	}

	public static class FrameworkRetried {

		@Retryable
		public void defaults() {
		}

		@Retryable(maxRetries = 2, includes = IOException.class)
		public void numbers() {
		}

		@Retryable(maxRetriesString = "${retries}")
		public void placeholder() {
		}

	}

	@org.springframework.retry.annotation.Retryable
	public static class SpringRetried {

		public void onType() {
		}

		@org.springframework.retry.annotation.Retryable(maxAttempts = 5)
		public void numbers() {
		}

	}

	public static class ResilienceRetried {

		@io.github.resilience4j.retry.annotation.Retry(name = "orders")
		public void known() {
		}

		@io.github.resilience4j.retry.annotation.Retry(name = "others")
		public void unknown() {
		}

	}

	public static class Outer {

		public Outer(Middle middle) {
		}

		@Retryable(maxRetries = 1)
		public void call() {
		}

	}

	public static class Middle {

		public Middle(FrameworkRetried retried) {
		}

		@Backoff
		public void place() {
		}

	}

	public static class Both {

		@Backoff
		@Retryable
		public void twice() {
		}

		@Backoff
		public void once() {
		}

	}

	public static class FeignUser {

		public FeignUser(@org.springframework.beans.factory.annotation.Qualifier("partner") Object partner) {
		}

		@Backoff
		public void send() {
		}

	}

	public static class PlainJob {

		@Scheduled(fixedRate = 1)
		public void run() {
		}

	}

	public static class RetriedJob {

		@Scheduled(fixedRate = 1)
		@Backoff
		public void run() {
		}

	}

	/* A call by the bean itself passes no proxy. */
	public static class JobBesideRetried {

		@Scheduled(fixedRate = 1)
		public void run() {
		}

		@Backoff
		public void send() {
		}

	}

	public static class JobOverRetried {

		public JobOverRetried(Middle middle) {
		}

		@Scheduled(fixedRate = 1)
		public void run() {
		}

	}

}
