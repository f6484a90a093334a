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

	private static final int WARM_UP = 2;

	private static final int TIMES = 20;

	private static final int PICKS = 25;

	private static final int ASKED = 25;

	private static final Instant FAR = Instant.parse("2999-01-01T00:00:00Z");

	private static final Instant DEAD = Instant.parse("9999-12-31T00:00:00Z");

	private final Database database;

	private final List<Double> starts = new ArrayList<>();

	private final List<Double> waiting = new ArrayList<>();

	private final List<Double> dead = new ArrayList<>();

	private final List<Double> late = new ArrayList<>();

	private Stored(Database database, int stored) throws Exception {
		this.database = database;
		try (HikariDataSource pool = database.open()) {
			database.reset(pool);
			try (ConfigurableApplicationContext context = Ours.start(database.open(), new Made(1), false)) {
				DurableCall<?> call = context.getBean(DurableCalls.class)
					.submit(DurableCalls.Options.notBefore(FAR), () -> context.getBean(Ours.Calls.class).healthy(0));
				database.addLike(pool, String.valueOf(call.id()), "healthy/dead", stored / 2, DEAD, false);
				database.addLike(pool, String.valueOf(call.id()), "healthy", stored / 2, FAR, true);
			}
		}
	}

	/** Compare few stored calls with many, on one server and in turn. */
	static void compare(Database database, int many, StringBuilder page) throws Exception {
		Stored few = new Stored(database, FEW);
		Stored all = new Stored(database.beside("stored"), many);
		for (int time = -WARM_UP; time < TIMES; time++) {
			for (Stored one : (time % 2 == 0) ? List.of(few, all) : List.of(all, few)) {
				one.start(time >= 0);
			}
		}
		row(page, database, "start of the application", few.starts, all.starts, 50);
		row(page, database, "commit to attempt, p50", few.late, all.late, 50);
		row(page, database, "commit to attempt, p99", few.late, all.late, 99);
		row(page, database, "answer with 50 waiting calls and counts", few.waiting, all.waiting, 50);
		row(page, database, "answer with 50 dead letters and counts", few.dead, all.dead, 50);
	}

	private static void row(StringBuilder page, Database database, String what, List<Double> few, List<Double> all,
			int percent) {
		double less = DurableTables.percentile(few, percent);
		double more = DurableTables.percentile(all, percent);
		DurableTables.row(page, database.name(), what, DurableTables.number("%.1f", less),
				DurableTables.number("%.1f", more), DurableTables.number("%.2f", more / less));
	}

	private void start(boolean counts) throws Exception {
		Made made = new Made(PICKS);
		HikariDataSource pool = this.database.open();
		pool.getConnection().close();
		long begun = System.nanoTime();
		try (ConfigurableApplicationContext context = Ours.start(pool, made, true)) {
			double started = millisSince(begun);
			double scheduled = answer(context, "scheduled");
			double letters = answer(context, "dead");
			List<Double> times = Submitted.times(false, PICKS, made, context.getBean(Ours.Calls.class)::healthy);
			if (counts) {
				this.starts.add(started);
				this.waiting.add(scheduled);
				this.dead.add(letters);
				this.late.addAll(times);
			}
		}
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
