package dev.backoff.spring.autoconfigure;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class ClientRedirectsTests {

	private static final String ALL = "spring.http.clients.redirects";

	private static final String GROUP = "spring.http.serviceclient.orders.redirects";

	@ParameterizedTest
	@CsvSource(nullValues = "-", textBlock = """
			-,                    -,           true
			follow,               -,           true
			follow-when-possible, -,           true
			dont-follow,          -,           false
			DONT_FOLLOW,          -,           false
			dontFollow,           dont-follow, false
			dont-follow,          follow,      true
			-,                    dont-follow, true
			""")
	void mayBeFollowedUnlessNoClientFollows(String all, String group, boolean expected) {
		MockEnvironment environment = new MockEnvironment();
		if (all != null) {
			environment.setProperty(ALL, all);
		}
		if (group != null) {
			environment.setProperty(GROUP, group);
		}
		assertThat(ClientRedirects.mayBeFollowed(environment)).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource("spring.http.serviceclient.orders.base-url,http://orders")
	void mayNotBeFollowedByAGroupThatSetsNothing(String key, String value) {
		MockEnvironment environment = new MockEnvironment().withProperty(ALL, "dont-follow").withProperty(key, value);
		assertThat(ClientRedirects.mayBeFollowed(environment)).isFalse();
	}

}
