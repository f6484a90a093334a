package dev.backoff.spring.http;

import java.net.URI;

import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.HttpRequest;

import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.core.annotation.Order;

import dev.backoff.spring.configuration.HttpSettings;

/** Remove our headers from redirects to hosts that do not get them. Thread-safe. */
@Order(0) // before BlockingClientQuotas
record ApacheClientHeaders(HttpSettings settings)
		implements
			ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder> {

	private static final String DESCRIBED = ApacheClientHeaders.class.getName();

	@Override
	public HttpComponentsClientHttpRequestFactoryBuilder customize(
			HttpComponentsClientHttpRequestFactoryBuilder builder) {
		return builder.withHttpClientCustomizer((client) -> client.addRequestInterceptorLast(
				(request, entity, context) -> removeElsewhere(request, HttpClientContext.cast(context))));
	}

	/* Runs for the request, and then for each redirect of it in the same context. */
	private void removeElsewhere(HttpRequest request, HttpClientContext context) {
		URI target = URI.create(request.getScheme() + "://" + request.getAuthority());
		boolean described = new HostPatterns(this.settings.hosts()).match(target);
		if (context.getRedirectLocations().size() == 0) {
			context.setAttribute(DESCRIBED, described);
		}
		else if (!described && Boolean.TRUE.equals(context.getAttribute(DESCRIBED))) {
			request.removeHeaders(this.settings.attemptHeader());
			request.removeHeaders(this.settings.deadlineHeader());
			request.removeHeaders(this.settings.idempotencyHeader());
		}
	}

}
