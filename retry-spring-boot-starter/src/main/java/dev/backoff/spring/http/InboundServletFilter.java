package dev.backoff.spring.http;

import java.io.IOException;
import java.util.concurrent.Callable;

import io.micrometer.common.KeyValue;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.filter.ServerHttpObservationFilter;

import dev.backoff.RetryContext;
import dev.backoff.spring.policy.HttpSettings;

/**
 * Respect what a request tells about the attempt it belongs to: its time left is the
 * deadline of all retried calls that it causes, and its number goes into the logs
 * ({@code backoff.attempt} in the MDC) and into the request's observation.
 * <p>
 * A {@link Callable} that a controller returns sees the same on its own thread. Threads
 * that the application starts itself see it by {@link RetryContext#wrap}, or where
 * context propagation is on. Thread-safe.
 *
 * @since 0.1
 */
public final class InboundServletFilter extends OncePerRequestFilter {

	/** Soon after the filter that observes the request. */
	public static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 10;

	private static final String ATTRIBUTE = InboundServletFilter.class.getName();

	private final HttpSettings settings;

	/**
	 * Create the filter.
	 * @param settings the names of the headers
	 */
	public InboundServletFilter(HttpSettings settings) {
		this.settings = settings;
	}

	/* The time left counts from the request's arrival, so it is read once. */
	@Override
	protected boolean shouldNotFilterAsyncDispatch() {
		return false;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		InboundCall call = (request.getAttribute(ATTRIBUTE) instanceof InboundCall known) ? known : arrived(request);
		try (RetryContext.Scope scope = call.open()) {
			chain.doFilter(request, response);
		}
	}

	private InboundCall arrived(HttpServletRequest request) {
		InboundCall call = InboundCall.read(this.settings, request::getHeader);
		request.setAttribute(ATTRIBUTE, call);
		ServerHttpObservationFilter.findObservationContext(request)
			.ifPresent((context) -> context
				.addLowCardinalityKeyValue(KeyValue.of(InboundCall.ATTEMPT, call.attemptTag())));
		WebAsyncUtils.getAsyncManager(request).registerCallableInterceptor(ATTRIBUTE, new OnItsThread(call));
		return call;
	}

	/** Open the context on the thread that runs a controller's {@link Callable}. */
	private static final class OnItsThread implements CallableProcessingInterceptor {

		private final InboundCall call;

		private RetryContext.@Nullable Scope scope;

		OnItsThread(InboundCall call) {
			this.call = call;
		}

		@Override
		public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
			this.scope = this.call.open();
		}

		@Override
		public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) {
			RetryContext.Scope opened = this.scope;
			if (opened != null) {
				opened.close();
			}
		}

	}

}
