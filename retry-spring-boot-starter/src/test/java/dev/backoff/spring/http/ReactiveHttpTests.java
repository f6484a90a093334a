package dev.backoff.spring.http;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpExchangeAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Reactive methods and HTTP interfaces, over sockets to a server that fails twice. */
class ReactiveHttpTests {

	private final WorkServer server = new WorkServer(2);

	private final ApplicationContextRunner runner = HttpClients.runner()
		.withPropertyValues("work.url=" + this.server.url(), "backoff.http.hosts=localhost:" + this.server.port(),
				"backoff.defaults.base=1ms", "backoff.policies.work.idempotent=by-key")
		.withUserConfiguration(Clients.class);

	@AfterEach
	void close() throws IOException {
		this.server.close();
	}

	@Test
	void aMonoOfAWebClientIsRetried() {
		this.runner.run((context) -> {
			assertThat(context.getBean(Gateway.class).send().block()).isEqualTo("done");
			assertToldThreeTimes();
		});
	}

	@Test
	void requestsOfOtherThreadsBelongToTheirAttemptToo() {
		this.runner.run((context) -> {
			assertThat(context.getBean(Gateway.class).sendElsewhere().block()).isEqualTo("done");
			assertToldThreeTimes();
		});
	}

	@Test
	void theirHostIsKnown() {
		this.runner.withPropertyValues("backoff.policies.work.max-attempts=2").run((context) -> {
			Throwable failure = catchThrowable(() -> context.getBean(Gateway.class).sendElsewhere().block());
			assertThat(RetriesStoppedException.of(failure).host()).isEqualTo("localhost:" + this.server.port());
		});
	}

	@Test
	void anHttpInterfaceOverRestClientIsRetried() {
		this.runner.run((context) -> {
			assertThat(context.getBean(Work.class).send("work")).isEqualTo("done");
			assertToldThreeTimes();
		});
	}

	@Test
	void anHttpInterfaceOverWebClientIsRetried() {
		this.runner.run((context) -> {
			assertThat(context.getBean(ReactiveWork.class).send("work").block()).isEqualTo("done");
			assertToldThreeTimes();
		});
	}

	@Test
	void anHttpInterfaceOfFuturesIsRetried() {
		this.runner.run((context) -> {
			assertThat(context.getBean(ReactiveWork.class).sendLater("work").join()).isEqualTo("done");
			assertToldThreeTimes();
		});
	}

	private void assertToldThreeTimes() {
		assertThat(this.server.values("X-Retry-Attempt")).containsExactly("1", "2", "3");
		List<String> keys = this.server.values("Idempotency-Key");
		assertThat(keys).hasSize(3).containsOnly(keys.get(0));
	}

	@Configuration(proxyBeanMethods = false)
	static class Clients {

		@Bean
		Gateway gateway(WebClient.Builder builder, Environment environment) {
			return new Gateway(builder.build(), environment.getRequiredProperty("work.url"));
		}

		@Bean
		Work work(RestClient.Builder builder, Environment environment) {
			return client(
					RestClientAdapter.create(builder.baseUrl(environment.getRequiredProperty("work.url")).build()),
					Work.class);
		}

		@Bean
		ReactiveWork reactiveWork(WebClient.Builder builder, Environment environment) {
			return client(WebClientAdapter.create(builder.baseUrl(environment.getRequiredProperty("work.url")).build()),
					ReactiveWork.class);
		}

		private static <T> T client(HttpExchangeAdapter adapter, Class<T> type) {
			return HttpServiceProxyFactory.builderFor(adapter).build().createClient(type);
		}

	}

	public static class Gateway {

		private final WebClient client;

		private final String url;

		Gateway(WebClient client, String url) {
			this.client = client;
			this.url = url;
		}

		@Backoff("work")
		public Mono<String> send() {
			return this.client.post().uri(this.url).bodyValue("work").retrieve().bodyToMono(String.class);
		}

		@Backoff("work")
		public Mono<String> sendElsewhere() {
			return Mono.just("work")
				.publishOn(Schedulers.boundedElastic())
				.flatMap(
						(work) -> this.client.post().uri(this.url).bodyValue(work).retrieve().bodyToMono(String.class));
		}

	}

	@HttpExchange
	public interface Work {

		@PostExchange
		@Backoff("work")
		String send(@RequestBody String work);

	}

	@HttpExchange
	@Backoff("work")
	public interface ReactiveWork {

		@PostExchange
		Mono<String> send(@RequestBody String work);

		@PostExchange
		CompletableFuture<String> sendLater(@RequestBody String work);

	}

}
