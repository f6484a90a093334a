package dev.backoff.spring.http;

import java.io.IOException;
import java.util.concurrent.Callable;

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
import dev.backoff.spring.configuration.HttpSettings;

/**
 * Apply the attempt that the headers of a request describe: its time left is the deadline
 * of all retried calls within the request, and its number goes into the logs
 * ({@code backoff.attempt} in the MDC) and into the request's observation.
 * <p>
 * Both also hold on the thread of a {@link Callable} that a controller returns, and on
 * threads of the application with {@link RetryContext#wrap} or context propagation.
 * Thread-safe.
 */
final class InboundServletFilter extends OncePerRequestFilter {

	/** The order, soon after the filter that observes the request. */
	public static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 10;

	private static final String ATTRIBUTE = InboundServletFilter.class.getName();

	private final HttpSettings settings;

	InboundServletFilter(HttpSettings settings) {
		this.settings = settings;
	}

	/* Headers are read once: the time left counts from the request's arrival. */
	@Override
	protected boolean shouldNotFilterAsyncDispatch() {
		return false;
	}

	@Override
	@SuppressWarnings("try") // a scope is open and not used
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
			.ifPresent((context) -> context.addLowCardinalityKeyValue(call.keyValue()));
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
