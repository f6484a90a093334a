package dev.backoff.spring.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import dev.backoff.spring.observation.CallStatistics;
import dev.backoff.spring.observation.CallStatistics.Earned;
import dev.backoff.spring.observation.CallStatistics.RetryWorth;
import dev.backoff.spring.policy.EffectivePolicy;

/** What the retries of a policy earned. */
@RegisterReflectionForBinding(WorthPart.WorthDescriptor.class)
record WorthPart(CallStatistics statistics, Instant since) implements EndpointContributor {

	@Override
	public String name() {
		return "worth";
	}

	@Override
	public Object read(EffectivePolicy policy, Map<String, String> parameters) {
		RetryWorth worth = this.statistics.worth(policy.name());
		Map<String, EarnedDescriptor> attempts = new TreeMap<>();
		Map<String, EarnedDescriptor> causes = new TreeMap<>();
		worth.earned()
			.forEach((what, earned) -> (RetryWorth.NUMBERS.contains(what) ? attempts : causes).put(what,
					new EarnedDescriptor(earned.made(), earned.rescued(), share(earned.rescued(), earned.made()),
							share(earned.rescued(), worth.calls()), share(earned.made(), worth.attempts()))));
		Earned all = worth.from(2);
		return new WorthDescriptor(this.since.toString(),
				all.rescued() + " calls rescued by " + all.made() + " retries", all.rescued(), all.made(), attempts,
				causes, worth.advice());
	}

	private static double share(long part, long whole) {
		return Math.round(10_000.0 * part / Math.max(1, whole)) / 10_000.0;
	}

	/** The attempts are by number, the causes those of first failures. */
	record WorthDescriptor(String since, String total, long rescued, long retries,
			Map<String, EarnedDescriptor> attempts, Map<String, EarnedDescriptor> causes,
			List<String> advice) implements OperationResponseBody {
	}

	/** The chance is rescued by made; shares of all calls and of all attempts follow. */
	record EarnedDescriptor(long made, long rescued, double chance, double ofCalls, double ofLoad) {
	}

}
