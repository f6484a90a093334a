package dev.backoff.sample.gateway;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The calls of the gateway, as {@code GET /calls} shows them: for each route the number
 * of calls, the number of those that had an effect, and the last hundred. Thread-safe.
 */
final class CallBook {

	private static final int REMEMBERED = 100;

	/**
	 * One call.
	 *
	 * @param at when it arrived
	 * @param path the requested path
	 * @param key its idempotency key, or null
	 * @param fault whether a fault was planned for it
	 */
	record Call(Instant at, String path, @Nullable String key, boolean fault) {
	}

	/**
	 * The calls of one route.
	 *
	 * @param count the number of calls
	 * @param applied the number of calls that had an effect
	 * @param last the last calls, the oldest first
	 */
	record Page(long count, long applied, List<Call> last) {
	}

	private static final class Tally {

		private long count;

		private long applied;

		private final Deque<Call> last = new ArrayDeque<>();

	}

	private final Map<Route, Tally> tallies = new EnumMap<>(Route.class);

	synchronized void called(Route route, Call call) {
		Tally tally = tally(route);
		tally.count++;
		tally.last.addLast(call);
		if (tally.last.size() > REMEMBERED) {
			tally.last.removeFirst();
		}
	}

	synchronized void applied(Route route) {
		tally(route).applied++;
	}

	synchronized Map<Route, Page> pages() {
		Map<Route, Page> pages = new EnumMap<>(Route.class);
		for (Route route : Route.values()) {
			Tally tally = tally(route);
			pages.put(route, new Page(tally.count, tally.applied, List.copyOf(tally.last)));
		}
		return pages;
	}

	private Tally tally(Route route) {
		return this.tallies.computeIfAbsent(route, (unused) -> new Tally());
	}

}
