package dev.backoff.spring.policy;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** Whether the headers of calls over HTTP can be told apart. */
final class HeaderNames {

	private HeaderNames() {
	}

	/**
	 * Report each two headers with the same name, at the later of those that are written.
	 */
	static void check(HttpSettings settings, Map<String, ConfigValue> written, List<Problem> problems) {
		List<Header> headers = List.of(header("http.attempt-header", settings.attemptHeader(), written),
				header("http.deadline-header", settings.deadlineHeader(), written),
				header("http.idempotency-header", settings.idempotencyHeader(), written));
		for (int later = 1; later < headers.size(); later++) {
			for (int earlier = 0; earlier < later; earlier++) {
				compare(headers.get(earlier), headers.get(later), problems);
			}
		}
	}

	private static Header header(String key, String name, Map<String, ConfigValue> written) {
		return new Header(key, name, written.get(key));
	}

	private static void compare(Header earlier, Header later, List<Problem> problems) {
		if (!earlier.name.equalsIgnoreCase(later.name)) {
			return;
		}
		if (later.written != null) {
			report(later.written, earlier, problems);
		}
		else if (earlier.written != null) {
			report(earlier.written, later, problems);
		}
	}

	private static void report(ConfigValue written, Header other, List<Problem> problems) {
		String place = (other.written != null) ? other.written.origin() : "built in";
		problems.add(written.problem("is the name of backoff." + other.key + " too (" + place + ")",
				"Give each header a name of its own."));
	}

	private record Header(String key, String name, @Nullable ConfigValue written) {
	}

}
