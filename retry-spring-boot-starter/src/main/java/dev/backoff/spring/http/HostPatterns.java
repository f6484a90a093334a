package dev.backoff.spring.http;

import java.net.URI;
import java.util.List;
import java.util.Locale;

/**
 * The hosts that are told about attempts: a host, {@code *.domain} for all hosts below
 * it, or {@code *}, each with an optional port. Immutable and thread-safe.
 */
final class HostPatterns {

	private final List<String> patterns;

	HostPatterns(List<String> patterns) {
		this.patterns = patterns;
	}

	/** Return whether requests to the given place are meant. */
	boolean match(URI uri) {
		String host = uri.getHost();
		if (host == null || this.patterns.isEmpty()) {
			return false;
		}
		String name = host.toLowerCase(Locale.ROOT);
		int port = port(uri);
		for (String pattern : this.patterns) {
			if (matches(pattern, name, port)) {
				return true;
			}
		}
		return false;
	}

	private static boolean matches(String pattern, String host, int port) {
		int colon = pattern.lastIndexOf(':');
		// an address in brackets has colons of its own
		boolean withPort = colon > pattern.lastIndexOf(']');
		if (withPort && Integer.parseInt(pattern.substring(colon + 1)) != port) {
			return false;
		}
		String wanted = withPort ? pattern.substring(0, colon) : pattern;
		if (wanted.equals("*")) {
			return true;
		}
		return wanted.startsWith("*.") ? host.endsWith(wanted.substring(1)) && host.length() > wanted.length() - 1
				: host.equals(wanted);
	}

	private static int port(URI uri) {
		if (uri.getPort() >= 0) {
			return uri.getPort();
		}
		return "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
	}

}
