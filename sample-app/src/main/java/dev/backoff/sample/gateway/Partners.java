package dev.backoff.sample.gateway;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The work of the partners. Thread-safe. */
final class Partners {

	/** The answer to the first questions for the status of a payment. */
	static final Reply PENDING = Reply.ok(Json.write(Map.of("status", "PENDING")));

	private static final int ASKED_UNTIL_PAID = 3;

	private final CallBook calls;

	private final Set<String> keys = ConcurrentHashMap.newKeySet();

	private final Quota quota = new Quota();

	private final Map<String, Integer> asked = new ConcurrentHashMap<>();

	Partners(CallBook calls) {
		this.calls = calls;
	}

	/** Do the work, if the quota allows it, once for each key. */
	Reply work(Route route, Request request) {
		return (route == Route.ANSWERS) ? this.quota.answer(() -> apply(route, request)) : apply(route, request);
	}

	private Reply apply(Route route, Request request) {
		String key = request.idempotencyKey();
		if (key == null || this.keys.add(route + " " + key)) {
			this.calls.applied(route);
		}
		return switch (route) {
			case PAYMENTS -> Reply.ok(Json.write(Map.of("status", "AUTHORISED")));
			case PAYMENT_STATUS -> status(request.path());
			case LOGISTICS -> Reply.ok(Json.write(Map.of("status", "ACCEPTED")));
			case NOTIFICATIONS -> Reply.ok(Json.write(Map.of("status", "RECEIVED")));
			case REFUNDS -> Reply.ok(Json.write(Map.of("status", "ACCEPTED")));
			case MAILS -> Reply.ok(Json.write(Map.of("status", "SENT")));
			case TRACKING -> Reply.ok(Json.write(Map.of("place", "on its way")));
			case QUOTES -> Reply.ok(Json.write(Map.of("cents", 490)));
			case ANSWERS -> Reply.ok(Json.write(Map.of("text", "Steep it for three minutes.")));
		};
	}

	private Reply status(String payment) {
		boolean paid = this.asked.merge(payment, 1, Integer::sum) >= ASKED_UNTIL_PAID;
		return paid ? Reply.ok(Json.write(Map.of("status", "PAID"))) : PENDING;
	}

}
