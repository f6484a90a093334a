package dev.backoff.kit;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.client.RestClient;

/** Takes all orders, and notes their keys. */
@Configuration(proxyBeanMethods = false)
class Carrier {

	private final List<String> keys = new CopyOnWriteArrayList<>();

	@Bean
	RestClient carrierClient() {
		return RestClient.builder().baseUrl("http://localhost").requestInterceptor((request, body, execution) -> {
			this.keys.add(request.getHeaders().getFirst("Idempotency-Key"));
			return new MockClientHttpResponse("ordered".getBytes(StandardCharsets.UTF_8), HttpStatus.OK);
		}).build();
	}

	List<String> keys() {
		return this.keys;
	}

}
