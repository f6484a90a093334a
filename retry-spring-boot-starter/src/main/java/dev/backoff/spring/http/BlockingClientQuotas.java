package dev.backoff.spring.http;

import java.io.IOException;
import java.io.OutputStream;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.core.Ordered;
import org.springframework.http.StreamingHttpOutputMessage;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.support.HttpRequestWrapper;

import dev.backoff.Attempt;
import dev.backoff.spring.failure.QuotaHeaders;

/**
 * Tell the pace of an attempt what responses to {@code RestClient} and
 * {@code RestTemplate} say of quotas. Not an interceptor, with which the clients would
 * hold each body in memory. The last customizer, since others expect the builder of a
 * library. Thread-safe.
 *
 * @param quotas null if no call has a pace
 */
record BlockingClientQuotas(@Nullable QuotaHeaders quotas)
		implements
			ClientHttpRequestFactoryBuilderCustomizer<ClientHttpRequestFactoryBuilder<?>>,
			Ordered {

	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

	@Override
	public ClientHttpRequestFactoryBuilder<?> customize(ClientHttpRequestFactoryBuilder<?> builder) {
		QuotaHeaders quotas = this.quotas;
		return (quotas == null) ? builder : (ClientHttpRequestFactoryBuilder<ClientHttpRequestFactory>) (
				settings) -> telling(builder.build(settings), quotas);
	}

	/* The requests of all libraries stream. */
	private static ClientHttpRequestFactory telling(ClientHttpRequestFactory made, QuotaHeaders quotas) {
		return (uri, method) -> {
			ClientHttpRequest request = made.createRequest(uri, method);
			return (Attempt.isRunning() && request instanceof StreamingHttpOutputMessage) ? new Request(request, quotas)
					: request;
		};
	}

	private static final class Request extends HttpRequestWrapper
			implements ClientHttpRequest, StreamingHttpOutputMessage {

		private final ClientHttpRequest request;

		private final QuotaHeaders quotas;

		Request(ClientHttpRequest request, QuotaHeaders quotas) {
			super(request);
			this.request = request;
			this.quotas = quotas;
		}

		@Override
		public OutputStream getBody() throws IOException {
			return this.request.getBody();
		}

		@Override
		public void setBody(Body body) {
			((StreamingHttpOutputMessage) this.request).setBody(body);
		}

		@Override
		public ClientHttpResponse execute() throws IOException {
			ClientHttpResponse response = this.request.execute();
			this.quotas.tell(Attempt.current(), response.getHeaders());
			return response;
		}

	}

}
