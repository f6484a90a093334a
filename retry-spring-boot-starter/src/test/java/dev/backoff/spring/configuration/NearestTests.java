package dev.backoff.spring.configuration;

import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class NearestTests {

	@ParameterizedTest
	@CsvSource({ "payment, payment", "paymnt, payment", "payments, payment", "PAY-MENT, payment", "paymet-x, payment",
			"pymet-x, ''", "bas, base", "bse, base", "bass, base", "bs, ''", "cup, cap", "cp, cap", "bsae, base",
			"acp, cap", "apymnet, payment", "'', ''" })
	void isWithinTwoLettersOrOneOfAShortName(String name, String nearest) {
		String found = Nearest.of(name, List.of("payment", "base", "cap"));
		assertThat((found != null) ? found : "").isEqualTo(nearest);
	}

	@Test
	void isTheFirstOfEquallyNear() {
		assertThat(Nearest.of("order3", List.of("orders", "order2"))).isEqualTo("orders");
		assertThat(Nearest.of("order2", List.of("orders", "order2"))).isEqualTo("order2");
	}

	@ParameterizedTest
	@CsvSource({ "cart2, ''", "cart, ''", "2cart11, ''", "carts2, cart", "crt1, ''", "caat1, cart1" })
	void isNoNameThatDiffersInDigitsOnly(String name, String nearest) {
		List<String> known = name.startsWith("caat") ? List.of("cart1")
				: List.of(name.equals("cart") ? "cart7" : "cart");
		assertThat(Objects.requireNonNullElse(Nearest.ofName(name, known), "")).isEqualTo(nearest);
	}

	@ParameterizedTest
	@CsvSource({ "delay, base", "initial-interval, base", "waitDuration, base", "max_delay, cap", "maxInterval, cap",
			"includes, retry-on", "retryFor, retry-on", "excludes, abort-on", "ignore-exceptions, abort-on",
			"factor, multiplier", "randomized-wait-factor, jitter", "timeout, deadline", "baseConfig, inherits",
			"retryUntil, deadline", "tries, max-attempts", "localInterval, base", "maxConcurrentCalls, concurrency",
			"max-wait-duration, max-waiting" })
	void knowsTheWordsOfOtherLibraries(String theirs, String ours) {
		assertThat(OtherWords.meant(Section.POLICIES, theirs, Section.POLICIES.keyTexts())).isEqualTo(ours);
	}

	@ParameterizedTest
	@CsvSource({ "max-retries, true", "maxRetryAttempts, true", "retries, true", "fail-retry-count, true",
			"executorFailRetryCount, true", "localTimes, true", "max-attempts, false", "attempts, false" })
	void knowsWhoCountsRetries(String name, boolean retries) {
		assertThat(OtherWords.isRetryCount(name)).isEqualTo(retries);
	}

}
