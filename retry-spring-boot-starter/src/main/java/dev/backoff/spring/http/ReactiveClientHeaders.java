package dev.backoff.spring.http;

import java.net.URI;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClientRequest;
import reactor.util.context.ContextView;

import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.util.ClassUtils;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClient;

import dev.backoff.Attempt;
import dev.backoff.OutboundRequest;
import dev.backoff.RetryContext;
import dev.backoff.spring.failure.QuotaHeaders;

/**
 * Add headers that describe the attempt to requests of {@code WebClient}, and tell its
 * pace what responses say of quotas. The attempt is that of the Reactor context, or else
 * the one that runs on the subscribing thread, for instance with {@code block()}. The
 * headers are added when the request is written, after those of other filters.
 * Thread-safe.
 *
 * @param quotas null if no call has a pace
 */
record ReactiveClientHeaders(AttemptHeaders headers,
		@Nullable QuotaHeaders quotas) implements WebClientCustomizer, ExchangeFilterFunction {

	private static final boolean NETTY = ClassUtils.isPresent("reactor.netty.http.client.HttpClientRequest",
			ReactiveClientHeaders.class.getClassLoader());

	@Override
	public void customize(WebClient.Builder builder) {
		builder.filter(this);
	}

	@Override
	public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
		return Mono.deferContextual((context) -> {
			OutboundRequest outbound = within(context, () -> this.headers.begin(request.method(), request.url()));
			Mono<ClientResponse> exchange = next.exchange((outbound == null) ? request
					: ClientRequest.from(request).httpRequest((written) -> write(outbound, request, written)).build());
			QuotaHeaders quotas = this.quotas;
			Attempt attempt = (quotas != null) ? within(context, () -> Attempt.isRunning() ? Attempt.current() : null)
					: null;
			return (quotas == null || attempt == null) ? exchange
					: exchange.doOnNext((response) -> quotas.tell(attempt, response.headers().asHttpHeaders()));
		});
	}

	private void write(OutboundRequest outbound, ClientRequest request, ClientHttpRequest written) {
		if (!NETTY || isDescribed(written.getNativeRequest())) {
			this.headers.add(outbound, request.method(), written.getHeaders());
		}
	}

	/* Reactor Netty writes a request anew to follow a redirect. */
	private boolean isDescribed(Object written) {
		if (written instanceof HttpClientRequest request && request.redirectedFrom().length > 0) {
			String url = request.resourceUrl();
			return url != null && this.headers.isFor(URI.create(url));
		}
		return true;
	}

	@SuppressWarnings("try") // a scope is open and not used
	private static <T> @Nullable T within(ContextView context, Supplier<@Nullable T> work) {
		try (RetryContext.Scope scope = (context.getOrDefault(RetryContextAccessor.KEY,
				null) instanceof RetryContext attempt) ? attempt.open() : () -> {
				}) {
			return work.get();
		}
	}

}
