package dev.backoff.sample.gateway;

import java.util.Arrays;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The routes of the gateway. The name in lower case, with dashes, is used in {@code
 * /faults/<route>} and {@code /calls}.
 */
enum Route {

	/** Authorise a payment. */
	PAYMENTS("POST", "/payments/"),

	/** Ask for a payment's status. */
	PAYMENT_STATUS("GET", "/payments/"),

	/** Announce shipments. */
	LOGISTICS("PUT", "/shipments"),

	/** Notify the merchant. */
	NOTIFICATIONS("POST", "/notifications"),

	/** Give money back. */
	REFUNDS("POST", "/refunds/"),

	/** Send a mail. */
	MAILS("POST", "/mails"),

	/** Ask where a parcel is. */
	TRACKING("GET", "/tracking/"),

	/** Ask for the price of a shipment. */
	QUOTES("GET", "/quotes/"),

	/** Let the AI provider answer a question. */
	ANSWERS("POST", "/answers");

	private final String method;

	private final String prefix;

	Route(String method, String prefix) {
		this.method = method;
		this.prefix = prefix;
	}

	/** Return the route that serves the request, or null. */
	static @Nullable Route of(Request request) {
		return Arrays.stream(values())
			.filter((route) -> route.method.equals(request.method()) && request.path().startsWith(route.prefix))
			.findFirst()
			.orElse(null);
	}

	static Route named(String name) {
		return Arrays.stream(values())
			.filter((route) -> route.toString().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					"Invalid route (%s): must be one of %s.".formatted(name, Arrays.toString(values()))));
	}

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
