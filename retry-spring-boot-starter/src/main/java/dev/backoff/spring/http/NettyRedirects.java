package dev.backoff.spring.http;

import java.net.URI;

import reactor.netty.http.client.HttpClientRequest;

/** The requests that Reactor Netty writes anew to follow redirects. */
final class NettyRedirects {

	private NettyRedirects() {
	}

	/** Return whether a request gets our headers at the host that it is written to. */
	static boolean areDescribed(Object written, AttemptHeaders headers) {
		if (written instanceof HttpClientRequest request && request.redirectedFrom().length > 0) {
			String url = request.resourceUrl();
			return url != null && headers.isFor(URI.create(url));
		}
		return true;
	}

}
