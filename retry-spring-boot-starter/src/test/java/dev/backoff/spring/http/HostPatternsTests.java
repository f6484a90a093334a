package dev.backoff.spring.http;

import java.net.URI;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class HostPatternsTests {

	@ParameterizedTest
	@CsvSource({ "orders.example.com, http://orders.example.com/x, true",
			"orders.example.com, https://ORDERS.example.com:8443, true",
			"orders.example.com, http://example.com, false", "orders.example.com, http://a.orders.example.com, false",
			"orders.example.com, http://orders.example.com.evil.org, false",
			"orders.example.com, http://user:orders.example.com@evil.org/, false",
			"*.example.com, http://a.example.com, true", "*.example.com, http://a.b.example.com, true",
			"*.example.com, http://example.com, false", "*.example.com, http://badexample.com, false",
			"*.example.com, http://.example.com, false", "localhost:8080, http://localhost:8080, true",
			"localhost:8080, http://localhost:8081, false", "localhost:80, http://localhost, true",
			"localhost:443, https://localhost, true", "localhost:80, https://localhost, false",
			"*.example.com:8080, http://a.example.com:8080, true", "*.example.com:8080, http://a.example.com, false",
			"*, http://anything, true", "*:8080, http://anything:8080, true", "*:8080, http://anything, false",
			"[::1], http://[::1]:8080, true", "[::1]:8080, http://[::1]:8080, true",
			"[::1]:8080, http://[::1]:9090, false", "*, /relative, false", "*, mailto:x@example.com, false" })
	void match(String pattern, URI uri, boolean expected) {
		assertThat(new HostPatterns(List.of(pattern)).match(uri)).isEqualTo(expected);
	}

	@Test
	void matchNothingIfThereAreNone() {
		assertThat(new HostPatterns(List.of()).match(URI.create("http://localhost"))).isFalse();
	}

	@Test
	void matchIfAnyOfThemDoes() {
		HostPatterns hosts = new HostPatterns(List.of("a", "b"));
		assertThat(hosts.match(URI.create("http://b"))).isTrue();
		assertThat(hosts.match(URI.create("http://c"))).isFalse();
	}

}
