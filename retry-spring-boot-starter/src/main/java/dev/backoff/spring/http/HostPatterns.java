package dev.backoff.spring.http;

import java.net.URI;
import java.util.List;
import java.util.Locale;

/** Patterns: a host, {@code *.domain} or {@code *}, each with an optional port. */
record HostPatterns(List<String> patterns) {

	/** Return whether a pattern matches the host and port of a request. */
	boolean match(URI uri) {
		String host = uri.getHost();
		if (host == null || this.patterns.isEmpty()) {
			return false;
		}
		String name = host.toLowerCase(Locale.ROOT);
		int assumed = "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
		int port = (uri.getPort() >= 0) ? uri.getPort() : assumed;
		return this.patterns.stream().anyMatch((pattern) -> matches(pattern, name, port));
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

}
