package dev.backoff.libraries;

import org.junit.jupiter.api.Test;

import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.ollama.OllamaChatModel;
import org.springframework.ai.ollama.api.OllamaApi;
import org.springframework.ai.ollama.api.OllamaChatOptions;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;
import org.springframework.ai.retry.autoconfigure.SpringAiRetryAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.retry.RetryTemplate;

import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.otherretries.OtherRetries;
import dev.backoff.spring.otherretries.OtherRetries.OtherRetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/** How many requests models of Spring AI make, counted at their server. */
class SpringAiRequestsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
				SpringAiRetryAutoConfiguration.class))
		.withPropertyValues("spring.ai.retry.backoff.initial-interval=1ms", "spring.ai.retry.backoff.multiplier=1");

	@Test
	void ofModelsWithTheTemplateAreElevenAttempts() {
		this.runner.withUserConfiguration(Ollama.class).run((context) -> assertAttempts(context, 11));
	}

	@Test
	void ofModelsWithTheTemplateHaveTheNumberOfTheProperty() {
		this.runner.withUserConfiguration(Ollama.class)
			.withPropertyValues("spring.ai.retry.max-attempts=0")
			.run((context) -> assertAttempts(context, 1));
	}

	@Test
	void ofModelsWithAnSdkAreFourAttempts() {
		this.runner.withUserConfiguration(OpenAi.class).run((context) -> assertAttempts(context, 4));
	}

	@Test
	void ofModelsWithAnSdkHaveTheNumberOfTheirOptions() {
		this.runner.withUserConfiguration(OpenAi.class)
			.withPropertyValues("retries=0")
			.run((context) -> assertAttempts(context, 1));
	}

	private static void assertAttempts(AssertableApplicationContext context, int attempts) {
		assertThat(context.getBean(OtherRetries.class).all()).extracting(OtherRetry::name).contains("Spring AI");
		assertThatException().isThrownBy(() -> context.getBean(ChatModel.class).call("Hello"));
		assertThat(context.getBean(CountingServer.class).requests()).isEqualTo(attempts);
	}

	@Configuration(proxyBeanMethods = false)
	static class Ollama {

		@Bean
		CountingServer server() {
			return new CountingServer("500");
		}

		@Bean
		OllamaChatModel model(CountingServer server, RetryTemplate retries) {
			return OllamaChatModel.builder()
				.ollamaApi(OllamaApi.builder().baseUrl(server.url()).build())
				.options(OllamaChatOptions.builder().model("none").build())
				.retryTemplate(retries)
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OpenAi {

		@Bean
		CountingServer server() {
			return new CountingServer("500 Retry-After: 0");
		}

		@Bean
		OpenAiChatModel model(CountingServer server, Environment environment) {
			return OpenAiChatModel.builder()
				.options(OpenAiChatOptions.builder()
					.apiKey("none")
					.model("none")
					.baseUrl(server.url())
					.maxRetries(environment.getProperty("retries", Integer.class))
					.build())
				.build();
		}

	}

}
