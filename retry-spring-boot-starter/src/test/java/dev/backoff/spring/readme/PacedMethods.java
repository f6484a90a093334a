package dev.backoff.spring.readme;

import java.time.Duration;
import java.util.List;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.pace.QuotaReading;

/** The methods that docs/pace.md shows. */
abstract class PacedMethods {

	@Backoff(value = "openai", pace = "openai", idempotent = "true", deadline = "2m")
	public String ask(String question) {
		return answer("all", question);
	}

	@Backoff(value = "tenant-api", breaker = "tenant-api", pace = "tenant-api", per = "#tenant", deadline = "2m")
	public String fetch(String tenant, String period) {
		return answer(tenant, period);
	}

	void tell(long limit, long remaining, Duration untilReset) {
		Attempt attempt = Attempt.current(); // in the method
		attempt.quota(List.of(new QuotaReading("requests", limit, remaining, untilReset, true, false)));
	}

	abstract String answer(String tenant, String question);

}
