package dev.backoff.libraries;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.openai.OpenAiChatModel;
import feign.Retryer;
import io.github.resilience4j.retry.RetryRegistry;
import io.github.resilience4j.retry.annotation.Retry;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.service.HttpServiceClientPropertiesAutoConfiguration;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.service.HttpServiceClientAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.layers.RetryLayer;
import dev.backoff.spring.layers.RetryLayers;

import static org.assertj.core.api.Assertions.assertThat;

/** What the commonest stacks make of the four attempts of one method. */
class StacksTests {

	private static final String APACHE = "spring.http.clients.imperative.factory=http-components";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
				HttpClientAutoConfiguration.class, ImperativeHttpClientAutoConfiguration.class,
				ReactiveHttpClientAutoConfiguration.class, RestClientAutoConfiguration.class,
				RestTemplateAutoConfiguration.class, WebClientAutoConfiguration.class,
				HttpServiceClientPropertiesAutoConfiguration.class, HttpServiceClientAutoConfiguration.class))
		.withPropertyValues("spring.http.clients.imperative.factory=jdk");

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void multiplyAttempts(String name, Class<?> type, UnaryOperator<ApplicationContextRunner> stack, String layers,
			long atMost) {
		stack.apply(this.runner).withBean("caller", type).run((context) -> {
			Map<String, RetryLayers.MethodLayers> methods = context.getBean(RetryLayers.class).report().methods();
			RetryLayers.MethodLayers met = methods.get(type.getSimpleName() + ".call");
			assertThat(met.meets()).extracting(RetryLayer::name).containsExactlyInAnyOrder(layers.split(", "));
			assertThat(met.atMost()).isEqualTo(atMost);
		});
	}

	@Test
	void multiplyAttemptsOfAnAnnotatedInterfaceOnce() {
		this.runner.withPropertyValues(APACHE)
			.withUserConfiguration(AnnotatedServices.class)
			.run((context) -> assertThat(
					context.getBean(RetryLayers.class).report().methods().get("AnnotatedPartner.work").atMost())
				.isEqualTo(8));
	}

	static Stream<Arguments> multiplyAttempts() {
		return Stream.of(stack("RestClient, JDK", OverRestClient.class, (runner) -> runner, "JDK HttpClient", 4),
				stack("RestClient, Apache", OverRestClient.class, (runner) -> runner.withPropertyValues(APACHE),
						"Apache HttpClient 5", 8),
				stack("RestTemplate, Apache", OverRestTemplate.class, (runner) -> runner.withPropertyValues(APACHE),
						"Apache HttpClient 5", 8),
				stack("HTTP service client, Apache", OverPartner.class,
						(runner) -> runner.withPropertyValues(APACHE).withUserConfiguration(Services.class),
						"Apache HttpClient 5", 8),
				stack("WebClient, Reactor Netty", OverWebClient.class, (runner) -> runner, "Reactor Netty", 4),
				stack("OkHttp", OverOkHttp.class, (runner) -> runner.withBean(OkHttpClient.class), "OkHttp", 4),
				stack("OpenFeign", OverFeign.class, StacksTests::withFeign, "OpenFeign Retryer", 20),
				stack("Spring Framework", OverClients.class,
						(runner) -> runner.withUserConfiguration(Framework.class).withBean(Client.class),
						"Spring Framework @Retryable", 16),
				stack("Spring Retry", OverClients.class,
						(runner) -> runner.withUserConfiguration(SpringRetry.class).withBean(Client.class),
						"Spring Retry @Retryable", 12),
				stack("Resilience4j", OverClients.class,
						(runner) -> runner.withBean(RetryRegistry.class, RetryRegistry::ofDefaults)
							.withBean(Client.class),
						"Resilience4j @Retry", 12),
				stack("Kafka listener", OverNothing.class,
						(runner) -> runner
							.withBean("kafkaListenerContainerFactory", ConcurrentKafkaListenerContainerFactory.class)
							.withBean(Listener.class),
						"Kafka error handler", 40),
				stack("Kafka producer", OverKafka.class,
						(runner) -> runner.withBean(KafkaTemplate.class,
								() -> new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(Map.of()))),
						"Kafka producer", 4),
				stack("LangChain4j", OverModel.class, (runner) -> runner.withBean(ChatModel.class, StacksTests::model),
						"LangChain4j", 12));
	}

	private static Arguments stack(String name, Class<?> type, UnaryOperator<ApplicationContextRunner> stack,
			String layers, long atMost) {
		return Arguments.of(name, type, stack, layers, atMost);
	}

	/* As its registrar marks a client. */
	private static ApplicationContextRunner withFeign(ApplicationContextRunner runner) {
		RootBeanDefinition client = new RootBeanDefinition(FeignClient.class);
		client.setAttribute("feignClientsRegistrarFactoryBean", "its factory");
		return runner.withBean(Retryer.class, Retryer.Default::new)
			.withInitializer((context) -> ((BeanDefinitionRegistry) context).registerBeanDefinition("partner", client));
	}

	private static ChatModel model() {
		return OpenAiChatModel.builder().apiKey("none").modelName("none").build();
	}

	public static class OverNothing {

		@Backoff
		public void call() {
		}

	}

	public static class OverRestClient extends OverNothing {

		public OverRestClient(RestClient.Builder builder) {
		}

	}

	public static class OverRestTemplate extends OverNothing {

		public OverRestTemplate(RestTemplateBuilder builder) {
		}

	}

	public static class OverPartner extends OverNothing {

		public OverPartner(Partner partner) {
		}

	}

	public static class OverWebClient extends OverNothing {

		public OverWebClient(WebClient.Builder builder) {
		}

	}

	public static class OverOkHttp extends OverNothing {

		public OverOkHttp(OkHttpClient client) {
		}

	}

	public static class OverFeign extends OverNothing {

		public OverFeign(FeignClient client) {
		}

	}

	public static class OverClients extends OverNothing {

		public OverClients(List<Client> clients) {
		}

	}

	public static class OverKafka extends OverNothing {

		public OverKafka(KafkaTemplate<?, ?> template) {
		}

	}

	public static class OverModel extends OverNothing {

		public OverModel(ChatModel model) {
		}

	}

	static class FeignClient {

	}

	/* What is not enabled does not count. */
	public static class Client {

		@Retryable
		public void ofFramework() {
		}

		@org.springframework.retry.annotation.Retryable
		public void ofSpringRetry() {
		}

		@Retry(name = "partner")
		public void ofResilience4j() {
		}

	}

	public static class Listener {

		public Listener(OverNothing called) {
		}

		@KafkaListener(topics = "orders")
		public void on(String order) {
		}

	}

	interface Partner {

		@GetExchange("/work")
		String work();

	}

	interface AnnotatedPartner {

		@Backoff
		@GetExchange("/work")
		String work();

	}

	@Configuration(proxyBeanMethods = false)
	@ImportHttpServices(group = "partner", types = AnnotatedPartner.class)
	static class AnnotatedServices {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportHttpServices(group = "partner", types = Partner.class)
	static class Services {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Framework {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry
	static class SpringRetry {

	}

}
