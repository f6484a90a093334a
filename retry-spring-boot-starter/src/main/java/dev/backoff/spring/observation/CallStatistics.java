package dev.backoff.spring.observation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;

/**
 * The numbers of calls since the start of the application, for each policy and method.
 * They do not depend on meters, but are missing if the application records calls with a
 * factory of its own. {@link dev.backoff.CallRegistry} has the number of waiting calls.
 * <p>
 * After 1,000 pairs of policy and method, further pairs share the method {@code other}.
 * Implementations are thread-safe.
 *
 * @since 0.1
 */
public interface CallStatistics {

	/** Return the numbers of one method, or empty if no such method is known. */
	default Optional<MethodCalls> of(String policy, String method) {
		return all().stream()
			.filter((calls) -> calls.policy().equals(policy) && calls.method().equals(method))
			.findFirst();
	}

	/** Return the numbers of each method, in no particular order. */
	List<MethodCalls> all();

	/** Return what the retries of a policy earned, those of all its methods together. */
	default RetryWorth worth(String policy) {
		List<MethodCalls> methods = all().stream().filter((method) -> method.policy().equals(policy)).toList();
		Map<String, Earned> earned = new TreeMap<>();
		methods.forEach((method) -> method.earned().forEach((what, part) -> earned.merge(what, part, Earned::plus)));
		return new RetryWorth(
				methods.stream().flatMap((method) -> method.calls().values().stream()).mapToLong(Long::longValue).sum(),
				methods.stream().mapToLong(MethodCalls::attempts).sum(), earned);
	}

	/**
	 * The numbers of one method: calls and attempts that have ended, and retries that
	 * have begun; and what the retries earned, as in {@link RetryWorth}. The numbers are
	 * read one after the other while calls go on. Immutable.
	 */
	record MethodCalls(String policy, String method, Map<StopReason, Long> calls, long attempts, long retries,
			Map<String, Earned> earned) {
	}

	/** How many retries were made, and how many calls they rescued. Immutable. */
	record Earned(long made, long rescued) {

		Earned plus(Earned other) {
			return new Earned(this.made + other.made, this.rescued + other.rescued);
		}

	}

	/**
	 * What the retries of a policy earned, beside all its calls and attempts. The map is
	 * by the number of the attempt ({@link #NUMBERS}) and by the first failure's
	 * {@link RetryCause#tag()}, which is {@code other} for stored calls. Polling is left
	 * out. Immutable.
	 */
	record RetryWorth(long calls, long attempts, Map<String, Earned> earned) {

		/** The numbers of attempts that are kept apart. */
		public static final List<String> NUMBERS = List.of("2", "3", "4", "5+");

		/** Return what the attempts from this number on earned together. */
		public Earned from(int number) {
			return NUMBERS.stream()
				.skip(number - 2L)
				.map((kind) -> this.earned.getOrDefault(kind, new Earned(0, 0)))
				.reduce(new Earned(0, 0), Earned::plus);
		}

		/** Return which retries earn little, from 1,000 retried calls on. */
		public List<String> advice() {
			List<String> advice = new ArrayList<>();
			for (int most = 1; most <= 3 && advice.isEmpty(); most++) {
				Earned later = from(most + 1);
				if (from(2).made - from(3).made >= 1_000 && later.rescued * 200 < this.calls
						&& later.made * 20 > this.attempts) {
					advice.add("`max-attempts: %d` would have lost %s of the calls and saved %s of the load"
						.formatted(most, share(later.rescued, this.calls), share(later.made, this.attempts)));
				}
			}
			this.earned.forEach((cause, of) -> {
				// no class in abort-on stands for a result
				if (of.made >= 1_000 && of.rescued * 100 < of.made && !NUMBERS.contains(cause)
						&& !cause.equals(RetryCause.RESULT.tag())) {
					advice.add("after %s, %s of %d retries rescued a call: name it in `abort-on`".formatted(cause,
							share(of.rescued, of.made), of.made));
				}
			});
			advice.replaceAll((text) -> text + " (chances are of this traffic; later attempts see harder failures)");
			return advice;
		}

		private static String share(long part, long whole) {
			return OverloadLogger.percent((double) part, (double) whole);
		}

	}

}
