package dev.backoff.benchmarks.durable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;

import org.springframework.context.ConfigurableApplicationContext;

import dev.backoff.durable.DurableCall;
import dev.backoff.durable.DurableCalls;
import dev.backoff.spring.actuate.EndpointContributor;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.policy.EffectivePolicy;

/**
 * What stored calls of one policy cost while they wait, half of them as dead letters.
 */
final class Stored {

	private static final int FEW = 1_000;

	private static final int TIMES = 5;

	private static final int PICKS = 500;

	private static final int ASKED = 25;

	private static final Instant FAR = Instant.parse("2999-01-01T00:00:00Z");

	private static final Instant DEAD = Instant.parse("9999-12-31T00:00:00Z");

	private Stored() {
	}

	/** Compare few stored calls with many. */
	static void compare(Database database, int many, StringBuilder page) throws Exception {
		List<Double> warmUp = times(database, FEW);
		List<Double> few = times(database, FEW);
		List<Double> all = times(database, many);
		List<String> names = List.of("start of the application", "commit to attempt, p50", "commit to attempt, p99",
				"answer with 50 waiting calls and counts", "answer with 50 dead letters and counts");
		for (int i = 0; i < warmUp.size(); i++) {
			DurableTables.row(page, database.name(), names.get(i), DurableTables.number("%.1f", few.get(i)),
					DurableTables.number("%.1f", all.get(i)), DurableTables.number("%.2f", all.get(i) / few.get(i)));
		}
	}

	private static List<Double> times(Database database, int stored) throws Exception {
		try (HikariDataSource pool = database.open()) {
			database.reset(pool);
			try (ConfigurableApplicationContext context = Ours.start(database.open(), new Made(1), false)) {
				DurableCall<?> call = context.getBean(DurableCalls.class)
					.submit(DurableCalls.Options.notBefore(FAR), () -> context.getBean(Ours.Calls.class).healthy(0));
				database.addLike(pool, String.valueOf(call.id()), "healthy/dead", stored / 2, DEAD, false);
				database.addLike(pool, String.valueOf(call.id()), "healthy", stored / 2, FAR, true);
			}
		}
		List<Double> starts = new ArrayList<>();
		List<Double> waiting = new ArrayList<>();
		List<Double> dead = new ArrayList<>();
		List<Double> late = new ArrayList<>();
		for (int time = 0; time < TIMES; time++) {
			Made made = new Made(PICKS);
			HikariDataSource pool = database.open();
			pool.getConnection().close();
			long begun = System.nanoTime();
			try (ConfigurableApplicationContext context = Ours.start(pool, made, true)) {
				starts.add(millisSince(begun));
				waiting.add(answer(context, "scheduled"));
				dead.add(answer(context, "dead"));
				late.addAll(Submitted.times(false, PICKS / TIMES, made, context.getBean(Ours.Calls.class)::healthy));
			}
		}
		return List.of(DurableTables.percentile(starts, 50), DurableTables.percentile(late, 50),
				DurableTables.percentile(late, 99), DurableTables.percentile(waiting, 50),
				DurableTables.percentile(dead, 50));
	}

	private static double answer(ConfigurableApplicationContext context, String state) {
		EffectivePolicy policy = context.getBean(BackoffMethods.class)
			.uses()
			.stream()
			.map((use) -> use.policy())
			.filter((one) -> one.name().equals("healthy"))
			.findFirst()
			.orElseThrow();
		EndpointContributor endpoint = context.getBean(EndpointContributor.class);
		List<Double> millis = new ArrayList<>();
		for (int time = 0; time < ASKED; time++) {
			long begun = System.nanoTime();
			Object answer = endpoint.read(policy, Map.of("state", state));
			millis.add(millisSince(begun));
			if (!(((Map<?, ?>) answer).get("calls") instanceof List<?> calls) || calls.size() != 50) {
				throw new IllegalStateException("No calls in " + answer);
			}
		}
		return DurableTables.percentile(millis, 50);
	}

	private static double millisSince(long begun) {
		return (System.nanoTime() - begun) / 1e6;
	}

}
