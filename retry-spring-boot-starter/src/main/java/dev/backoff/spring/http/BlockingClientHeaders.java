package dev.backoff.spring.http;

import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestInitializer;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

import dev.backoff.OutboundRequest;
import dev.backoff.spring.policy.HttpSettings;

/**
 * Let requests of {@code RestClient} and {@code RestTemplate} tell about their attempt.
 * <p>
 * No interceptor: one alone would make the clients hold each body in memory. Thread-safe.
 *
 * @since 0.1
 */
public final class BlockingClientHeaders
		implements RestClientCustomizer, RestTemplateCustomizer, ClientHttpRequestInitializer {

	private final AttemptHeaders headers;

	/**
	 * Create the customizer.
	 * @param settings which hosts are told, by which headers
	 */
	public BlockingClientHeaders(HttpSettings settings) {
		this.headers = new AttemptHeaders(settings, "RestClient or RestTemplate");
	}

	/*
	 * An initializer would come before the request's own headers, which the client adds
	 * to those that are there: this comes after them.
	 */
	@Override
	public void customize(RestClient.Builder builder) {
		builder.defaultRequest((request) -> request.httpRequest(this::initialize));
	}

	/* Here the request's own headers replace those that are there. */
	@Override
	public void customize(RestTemplate restTemplate) {
		restTemplate.getClientHttpRequestInitializers().add(this);
	}

	@Override
	public void initialize(ClientHttpRequest request) {
		String method = request.getMethod().name();
		OutboundRequest outbound = this.headers.begin(method, request.getURI());
		if (outbound != null) {
			this.headers.add(outbound, method, request.getHeaders());
		}
	}

}
