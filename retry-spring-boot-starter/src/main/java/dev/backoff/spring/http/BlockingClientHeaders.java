package dev.backoff.spring.http;

import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestInitializer;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

import dev.backoff.OutboundRequest;

/** Describe the attempt to requests of RestClient and RestTemplate. */
record BlockingClientHeaders(
		AttemptHeaders headers) implements RestClientCustomizer, RestTemplateCustomizer, ClientHttpRequestInitializer {

	/*
	 * After the request's own headers, which an initializer would precede. Not an
	 * interceptor, with which the clients would hold each body in memory.
	 */
	@Override
	public void customize(RestClient.Builder builder) {
		builder.defaultRequest((request) -> request.httpRequest(this::initialize));
	}

	/* Here the request's own headers replace those of the initializer. */
	@Override
	public void customize(RestTemplate restTemplate) {
		restTemplate.getClientHttpRequestInitializers().add(this);
	}

	@Override
	public void initialize(ClientHttpRequest request) {
		OutboundRequest outbound = this.headers.begin(request.getMethod(), request.getURI());
		if (outbound != null) {
			this.headers.add(outbound, request.getMethod(), request.getHeaders());
		}
	}

}
